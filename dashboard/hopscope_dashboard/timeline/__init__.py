"""The run's timeline: its component, and the answers that its script asks for."""
