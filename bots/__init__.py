"""Programs that play: each is an ordinary client of the server."""
