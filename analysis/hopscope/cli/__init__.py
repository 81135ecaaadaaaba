"""The commands `hopscope` and `analyze`."""
