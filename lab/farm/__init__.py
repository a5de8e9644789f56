"""Where long work is done: in this process, in several, or by the workers of a dask scheduler."""
