"""What a shell gives a command: its streams, its words, and the signals that end it."""
