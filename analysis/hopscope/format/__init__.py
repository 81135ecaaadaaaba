"""Conversions between values and text: numbers, JSON, rounds and versions."""
