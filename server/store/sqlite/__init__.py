"""The log in SQLite: one file, one server."""
