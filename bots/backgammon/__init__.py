"""Backgammon by nets that learnt it from self-play: judging, the file of weights, and training."""
