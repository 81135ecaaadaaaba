"""The first page: what is wrong, and what it costs."""
