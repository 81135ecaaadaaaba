"""What may run a selection of a run, what ran it, and the tree files that make the engine run it."""
