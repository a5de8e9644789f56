"""The searches again, written to be read; a test plays them against the fast ones."""
