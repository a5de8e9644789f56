"""What a loss of power leaves of a disk, and whether a house comes back from it whole."""
