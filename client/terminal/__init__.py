"""The person at a keyboard."""
