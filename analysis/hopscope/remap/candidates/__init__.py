"""What may run a part of a run, what ran it, and the tree files that make the engine run it."""
