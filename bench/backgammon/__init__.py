"""The nets of backgammon beside GNU Backgammon and pubeval."""
