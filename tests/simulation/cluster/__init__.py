"""Several servers on one database, in one process and from one seed: see world.py."""
