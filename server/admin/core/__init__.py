"""What the acts of a host mean, as functions of values: no socket, clock or store."""
