"""Words of the data that SQL, C++ and Python share."""
