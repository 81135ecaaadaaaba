"""The commands that draw: `hopscope dashboard` and `analyze report`, found by their entry points (pyproject.toml)."""
