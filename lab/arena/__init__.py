"""Bot against bot on this machine: duels, tournaments, their server, and their results."""
