"""What a server does beside its rooms: the lobby list, reading the log back, questions to bots."""
