"""Game-blind search."""
