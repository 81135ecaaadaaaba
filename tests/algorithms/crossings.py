"""The largest number of crossings between groups on a path through the algorithm `leaders`."""


def most_crossings(exchange: str, groups: int) -> int:
    """The largest number of crossings that the documentation allows on a path."""
    doubling = (groups - 1).bit_length()
    return {
        "all-to-all": 1,
        "recursive-doubling": doubling + (2 if groups & (groups - 1) else 0),
        "ring": 2 * (groups - 1),
    }[exchange]
