"""Compiled modules, and what Python lays out for them."""
