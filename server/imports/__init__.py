"""Files of matches that people bring along, read in a process of their own; nothing is kept."""
