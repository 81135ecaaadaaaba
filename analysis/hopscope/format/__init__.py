"""Numbers, JSON and versions as text."""
