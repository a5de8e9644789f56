"""Ladders at a server: a pure core, an actor each, and the service that answers for all of them."""
