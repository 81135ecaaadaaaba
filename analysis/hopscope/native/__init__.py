"""Compiled modules, and Python code that prepares their input."""
