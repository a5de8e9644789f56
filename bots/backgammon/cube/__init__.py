"""The doubling cube: what is played for, what a position is worth with it, and what to do."""
