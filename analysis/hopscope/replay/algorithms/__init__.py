"""Algorithms that can run a selection's collectives, the baseline's algorithm, and tree files that make the engine run
an algorithm."""
