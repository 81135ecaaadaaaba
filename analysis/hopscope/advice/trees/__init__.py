"""Algorithms of the engine that may run a selection of a run."""
