"""Settings of an MPI library: which parts they reach, and which of the library's algorithms they make run."""
