"""The rules of the games.  Standard library only; no I/O, clock or randomness of its own."""
