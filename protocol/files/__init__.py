"""Files in which programs of one user on one machine keep what they know, and find each other.

Server, client and bots share it: none imports another.
"""
