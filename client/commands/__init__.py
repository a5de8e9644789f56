"""The commands of the client: each file but arguments.py is the command of its name."""
