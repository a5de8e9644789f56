"""What a search does, written down step by step while it searches, and shown in a page."""
