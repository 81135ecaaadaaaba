"""What a run's hops say about its network, and trees over its ranks: the ground on which trees are compared."""
