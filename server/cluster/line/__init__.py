"""Lines between servers: what is said over them, and how they are made."""
