"""What a ladder gets through, near and far."""
