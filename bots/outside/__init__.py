"""Programs of others that play here: a line in, a line out."""
