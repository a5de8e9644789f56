"""What the house decides, as functions of values: no socket, clock, randomness, id or database
in here.
"""
