"""A run to accelerate: its operations, calls and messages, and the parts that can change independently."""
