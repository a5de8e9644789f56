"""A finished match as a file, and played again from its events.

Server and client share it: neither imports the other.
"""
