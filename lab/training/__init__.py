"""Training the nets of backgammon."""
