"""What a training runs as machine code: games that nets play against themselves, and learning."""
