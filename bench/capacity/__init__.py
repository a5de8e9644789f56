"""How many people a machine serves, measured and reckoned."""
