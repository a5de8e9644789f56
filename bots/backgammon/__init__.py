"""Backgammon by nets that learnt it from self-play: judging, and the file of weights."""
