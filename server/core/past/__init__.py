"""What is kept of the plies of a match, and told of matches that are over, as values."""
