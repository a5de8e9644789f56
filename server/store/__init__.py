"""The log on disk: bytes and plain rows, nothing else."""
