"""What a server does in a second, and whether it loses anything under kill -9."""
