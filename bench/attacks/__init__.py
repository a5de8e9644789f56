"""Attacks on a server that is started for them, with a match beside each that must not notice."""
