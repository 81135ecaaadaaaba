"""Intel MPI's algorithms."""
