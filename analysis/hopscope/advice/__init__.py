"""What would be faster: trees, settings of the MPI library, rank orders."""
