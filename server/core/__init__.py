"""What may happen in rooms, lobby and sessions, decided by functions of values, without any I/O."""
