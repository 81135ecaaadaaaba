"""Gives each rank a lane, with the ranks of a host and of a cluster next to each other.

Lanes are the vertical axis of heat maps.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import plotly.graph_objects as go

Row = dict[str, Any]

_LABELLED: Final = 60
"""Largest number of lanes that all have labels."""


@dataclass(frozen=True)
class Lanes:
    """Lanes of the ranks. Lane 0 is the lowest."""

    of_rank: dict[int, int]
    labels: tuple[str, ...]
    """Text of each lane, from lane 0: its rank. A host's first lane also has the host; if there are several worlds, a
    world's first lane also has the world."""
    clusters: tuple[tuple[str, int, int], ...]
    """Name, lowest and highest lane of each cluster."""
    title: str
    """Title of the axis: what the labels consist of."""

    @property
    def number(self) -> int:
        """Number of lanes."""
        return len(self.labels)


def lanes(ranks: Sequence[Row], members: Iterable[int]) -> Lanes:
    """Give the lanes of some ranks. `ranks` has rank, world, host and cluster; the first cluster, host and rank are on
    top.
    """
    lane_ranks = set(members)
    row_of = {row["rank"]: row for row in ranks}
    for rank in lane_ranks - row_of.keys():
        row_of[rank] = {"rank": rank, "world": 0, "host": "?", "cluster": "?"}
    has_worlds = len({row["world"] for row in row_of.values()}) > 1
    order = _by_first_rank([row_of[rank] for rank in sorted(lane_ranks)])[::-1]
    labels: list[str] = []
    clusters: list[tuple[str, int, int]] = []
    for lane, row in enumerate(order):
        row_above = order[lane + 1] if lane < len(order) - 1 else {"host": None, "world": None}
        words = [row["host"]] if row_above["host"] != row["host"] else []
        if has_worlds and (words or row_above["world"] != row["world"]):
            words.append(f"world {row['world']}")
        labels.append("   ".join([*words, str(row["rank"])]))
        if clusters and clusters[-1][0] == row["cluster"]:
            clusters[-1] = (row["cluster"], clusters[-1][1], lane)
        else:
            clusters.append((row["cluster"], lane, lane))
    title = "host, world and rank" if has_worlds else "host and rank"
    return Lanes({row["rank"]: lane for lane, row in enumerate(order)}, tuple(labels), tuple(clusters), title)


def lane_axis(figure: go.Figure, places: Lanes) -> None:
    """Make the vertical axis of a figure one of lanes. Of more than _LABELLED lanes, only every n-th has its label."""
    step = 1 + (places.number - 1) // _LABELLED
    labelled_lanes = list(range(places.number - 1, -1, -step))
    figure.update_yaxes(
        tickvals=labelled_lanes,
        ticktext=[places.labels[lane] for lane in labelled_lanes],
        showgrid=False,
        zeroline=False,
        title={"text": places.title},
    )


def _by_first_rank(rows: Sequence[Row]) -> list[Row]:
    # Clusters and hosts come in the order of their first rank, so that rank 0 is on top whatever their names are.
    clusters = _first(rows, "cluster")
    hosts = _first(rows, "host")
    return sorted(rows, key=lambda row: (clusters[row["cluster"]], hosts[row["host"]], row["rank"]))


def _first(rows: Sequence[Row], column: str) -> dict[str, int]:
    first: dict[str, int] = {}
    for row in rows:
        first.setdefault(row[column], row["rank"])
    return first
