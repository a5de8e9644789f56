"""Matches that are over, and who played them: lists, persons, ratings of people."""
