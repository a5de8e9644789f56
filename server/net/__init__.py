"""Sockets and HTTP: what comes in as bytes, and what goes out."""
