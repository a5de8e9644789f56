"""A finished match: found at a server or in a file, and checked."""
