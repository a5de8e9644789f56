"""A finished match as a file: written, read, and checked."""
