"""The commands of the laboratory: the file is the command."""
