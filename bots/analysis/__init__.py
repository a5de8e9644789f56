"""Analysis by bots: the score of a position, a match play by play."""
