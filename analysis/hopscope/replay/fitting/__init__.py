"""What messages cost in a run, from its hops and from what was probed."""
