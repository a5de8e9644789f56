"""Searches and nets for backgammon alone: its board, its dice and its points are known here."""
