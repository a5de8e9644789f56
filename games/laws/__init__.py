"""The laws of games: what has to hold of any game, tried on seeded random games of it.

The tests hold every game of the house to them, `plyhouse doctor game` any file, and code that loads
a game that is not the house's own holds it to the quick ones (see games/laws/check.py).
"""
