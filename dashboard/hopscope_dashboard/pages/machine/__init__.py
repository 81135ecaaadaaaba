"""The only page of a machine file."""
