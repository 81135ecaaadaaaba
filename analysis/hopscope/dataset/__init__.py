"""Makes the tables of a run from its archive, and reads them."""
