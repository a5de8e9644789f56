"""What a server measures of itself while it runs, at next to no cost, for /metrics."""
