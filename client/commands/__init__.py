"""The commands that start something of the client: each file is the command of its name."""
