"""What a cluster decides, as functions of values: no socket, clock, randomness or database."""
