"""Tables of a run: made from its archive, and read."""
