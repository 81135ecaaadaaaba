"""Settings of an MPI library: the selections that they affect, and the library's algorithms that they select."""
