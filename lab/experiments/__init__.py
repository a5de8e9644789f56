"""Bots against each other in this process, many games, and what they show: sweeps and results."""
