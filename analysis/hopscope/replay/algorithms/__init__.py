"""Algorithms that run a selection of a run, the one that ran, and the tree files that make the engine run one."""
