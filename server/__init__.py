"""The server: a sans-I/O core, and the thin I/O around it.  app.py puts the parts together."""
