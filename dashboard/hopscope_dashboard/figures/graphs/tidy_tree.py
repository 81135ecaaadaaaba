"""Lays out a tree on its topology: a row for each depth, clusters side by side, and in each cluster its hosts.

Every host has columns of its own. If the page's width is limited, a host has its columns only from its first row to its
last, and other hosts may use them in other rows. So hosts drawn as one circle each form a tree of hosts.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Final

from hopscope_dashboard.figures.graphs.edge_labels import RADIUS, Point
from hopscope_dashboard.figures.graphs.graph import CLUSTER_PADDING, HOST_PADDING
from hopscope_dashboard.figures.graphs.words import name_width

Slot = tuple[int, int]
"""A depth, and a line at that depth: hosts that do not fit beside the others go to the next line."""

_COLUMN, _HOST_GAP, _CLUSTER_GAP = 82, 26, 2 * CLUSTER_PADDING + 64
_PITCH, _STACKED_PITCH = 92, 116
"""Pixels from a row to the next; the second leaves room for a host's name under another host."""
_RANKS_ACROSS: Final = 12
"""Largest number of ranks of one host and depth side by side on a page of limited width."""
_LEAN: Final = 0.22
"""Shift of a row, in columns, alternately left and right, so that an edge to the next row but one passes beside
circles."""


@dataclass
class _Host:
    name: str
    rows: dict[Slot, dict[int, float]]
    """The ranks of each row, with their distances from the host's middle in pixels."""
    left: float = 0.0

    @property
    def width(self) -> float:
        farthest = max(abs(x) for row in self.rows.values() for x in row.values())
        return max(name_width(self.name), 2 * (farthest + RADIUS + HOST_PADDING))


def positions(ranks: Iterable[Mapping[str, Any]], depths: Mapping[int, int], width: float = inf) -> dict[int, Point]:
    """Give the position of each rank, in pixels. `ranks` has rank, host and cluster; `width` is the page's width in
    pixels."""
    members: dict[tuple[str, str], list[int]] = defaultdict(list)
    for rank in ranks:
        members[str(rank["cluster"]), str(rank["host"])].append(rank["rank"])
    clusters: dict[str, list[_Host]] = defaultdict(list)
    for (cluster, name), numbers in members.items():
        across = len(numbers) if width == inf else _RANKS_ACROSS
        clusters[cluster].append(_Host(name, _rows(sorted(numbers), depths, across)))
    x, pitch = 0.0, _PITCH if width == inf else _STACKED_PITCH
    for cluster, hosts in clusters.items():
        end = max(name_width(cluster), _pack(hosts, width / len(clusters)))
        for host in hosts:
            host.left += x
        x += end + _CLUSTER_GAP
    drawn = [(host, slot) for hosts in clusters.values() for host in hosts for slot in host.rows]
    tops = {slot: pitch * number for number, slot in enumerate(sorted({slot for _, slot in drawn}))}
    return {
        rank: (host.left + host.width / 2 + aside, tops[slot])
        for host, slot in drawn
        for rank, aside in host.rows[slot].items()
    }


def _rows(ranks: Sequence[int], depths: Mapping[int, int], across: int) -> dict[Slot, dict[int, float]]:
    rows: dict[Slot, dict[int, float]] = {}
    for depth in {depths[rank] for rank in ranks}:
        level = [rank for rank in ranks if depths[rank] == depth]
        for number, start in enumerate(range(0, len(level), across)):
            row = level[start : start + across]
            middle = (len(row) - 1) / 2 + (0 if len(ranks) == 1 else -_LEAN if (depth + number) % 2 else _LEAN)
            rows[depth, number] = {rank: (column - middle) * _COLUMN for column, rank in enumerate(row)}
    return rows


def _pack(hosts: Sequence[_Host], width: float) -> float:
    """Put each host to the right of the hosts that share a row with it, or on the next line. Returns the width of all
    hosts."""
    spans: list[tuple[Slot, Slot, float]] = []
    lines: dict[int, int] = defaultdict(int)
    width += sum(host.width + _HOST_GAP for host in hosts if max(host.rows)[0] > min(host.rows)[0])
    for host in sorted(hosts, key=lambda host: min(host.rows)[0] if width < inf else 0):
        top, _ = min(host.rows)
        while True:
            rows = {(depth, line + lines[top] * (depth == top)): row for (depth, line), row in host.rows.items()}
            beside = [span for span in spans if width == inf or (span[0] <= max(rows) and min(rows) <= span[1])]
            # Every second line is shifted a little, so that edges to it run between the hosts above.
            host.left = max((end for _, _, end in beside), default=(lines[top] % 2 - 1) * _HOST_GAP) + _HOST_GAP
            # A host of several depths occupies all lines of its first depth, so going to the next line makes no room.
            is_free = max(rows)[0] > top or all(last[0] > first[0] for first, last, _ in beside)
            if is_free or host.left + host.width <= width:
                break
            lines[top] += 1
        host.rows = rows
        spans.append((min(rows), max(rows), host.left + host.width))
    return max(end for _, _, end in spans)
