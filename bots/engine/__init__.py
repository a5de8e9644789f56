"""Search: what is compiled and how, its memory, and the solvers that are built on it."""
