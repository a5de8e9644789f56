"""What people see of a server on its terminal: the greeting, and `plyhouse doctor`."""
