"""What a person types in a session: the commands, the words after them, the actions."""
