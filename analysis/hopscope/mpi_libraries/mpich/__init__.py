"""MPICH's algorithms."""
