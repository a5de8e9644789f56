"""What people and programs connect with."""
