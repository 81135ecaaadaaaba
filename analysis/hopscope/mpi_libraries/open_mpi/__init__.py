"""Open MPI's algorithms, rules and settings."""
