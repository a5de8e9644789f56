"""What is told of matches that are over, as values."""
