"""Several servers on one database: who owns which room, and how the others reach it."""
