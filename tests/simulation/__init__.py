"""The whole house in one process, from one seed: see run.py."""
