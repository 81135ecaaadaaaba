"""A trace's tables as the arrays that compiled code takes."""
