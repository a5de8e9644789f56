"""Analysis by bots: one choice with its tree, the score of a position, a match play by play."""
