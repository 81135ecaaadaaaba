"""Costs of a run's messages, from its hops and from a probe."""
