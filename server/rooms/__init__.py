"""The actors of rooms: the thin I/O around the core, and what an actor needs from around it."""
