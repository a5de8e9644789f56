"""Measurements of several servers on one database."""
