"""The one error that means: what you gave us is wrong, and here is what to do about it."""


class InputError(Exception):
    """Wrong input. Its message says what is wrong, where, and what to do next; commands print it and exit with 2."""
