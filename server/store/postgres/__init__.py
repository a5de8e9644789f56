"""The log in PostgreSQL: what one server, or several, write to over a network."""
