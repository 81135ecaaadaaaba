"""Draws a sample of a program's tasks, for programs whose whole work takes too long: options `--sample N` and `--seed
N`."""

import argparse
import random
from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds both options to a program's parser."""
    parser.add_argument("--sample", type=int, metavar="N", help="only N tasks, drawn by --seed")
    parser.add_argument("--seed", type=int, default=1, help="seed of the draw (default: 1)")


def drawn_items(items: Sequence[Item], options: argparse.Namespace) -> list[Item]:
    """The items to run by these options; all without --sample, or if there are no more than N."""
    sample: int | None = options.sample
    if not sample:
        return list(items)
    return random.Random(options.seed).sample(items, min(sample, len(items)))
