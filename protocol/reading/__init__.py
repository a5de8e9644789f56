"""What people bring along, read however it is usually written: positions, and matches as files."""
