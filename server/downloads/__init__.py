"""What a server hands to somebody who has only Python: itself as a wheel, and a launcher."""
