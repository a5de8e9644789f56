"""The commands that start a bot's work: the file is the command."""
