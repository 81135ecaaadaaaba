"""Places a tree on the topology: ranks in boxes of their host, hosts in boxes of their cluster. An edge's colour and
width are its share of the critical path, its line its link class.

A rank's height is its depth in the tree, its column its host, so the drawing reads as a tree and shows which edges
leave a host or a cluster.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from hopscope_dashboard import units
from hopscope_dashboard.figures.edge_labels import RADIUS, place
from hopscope_dashboard.palette import CATEGORY_COLOURS, DARK_SHARES, LIGHT_SHARES, LINK_DASHES

Row = dict[str, Any]

_ROW = 92
_COLUMN = 82
_HOST_GAP = 58
_CLUSTER_GAP = 64
_LEAST_SCALE = 0.01
"""The heaviest edge of a tree that weighs next to nothing must not look like one that matters."""
_LABELLED = 0.2
"""Part of the heaviest edge's share from which on an edge says its own; the others say it when pointed at."""
_FRAME = 190
"""What the boxes of host and cluster with their names add around the ranks."""


def elements(
    *, ranks: Sequence[Row], parents: Mapping[int, int | None], edges: Mapping[tuple[int, int], Row], phase: str
) -> list[dict[str, Any]]:
    """Cytoscape elements of one tree.

    `ranks` has rank, host and cluster; `parents` the parent of each rank of the tree (None at the root), both as
    trace-wide ranks; `edges` the share, time_ns and hops of the directed edge (src, dst). `phase` up draws from child
    to parent, down the other way.
    """
    of_rank = {row["rank"]: row for row in ranks}
    placed = [of_rank.get(rank, {"rank": rank, "host": "?", "cluster": "?"}) for rank in sorted(parents)]
    columns = positions(placed, parents)
    nodes = _boxes(placed)
    nodes += [
        {
            "data": {
                "id": f"rank-{row['rank']}",
                "label": str(row["rank"]),
                "parent": f"host-{row['cluster']}/{row['host']}",
            },
            "position": {"x": columns[row["rank"]][0], "y": columns[row["rank"]][1]},
            "classes": "root rank" if parents[row["rank"]] is None else "rank",
            "grabbable": False,
        }
        for row in placed
    ]
    largest = heaviest(parents, edges, phase)
    drawn: list[dict[str, Any]] = []
    for rank, parent in sorted(parents.items()):
        if parent is not None:
            src, dst = (rank, parent) if phase == "up" else (parent, rank)
            # A tree that did not run has no weights: all its edges are alike.
            weight = edges.get((src, dst), _NEVER) if edges else None
            drawn.append(_edge(src, dst, _link(of_rank.get(src), of_rank.get(dst)), weight, largest))
    _label(drawn, columns, phase, largest)
    return nodes + drawn


def heaviest(parents: Mapping[int, int | None], edges: Mapping[tuple[int, int], Row], phase: str) -> float:
    """Give the end of the colour scale: the largest share of an edge of the tree, 1 % at least; 0 if none has any."""
    pairs = {(rank, parent) if phase == "up" else (parent, rank) for rank, parent in parents.items()}
    most = max((row["share"] or 0 for pair, row in edges.items() if pair in pairs), default=0)
    return max(most, _LEAST_SCALE) if most else 0


def positions(ranks: Sequence[Row], parents: Mapping[int, int | None]) -> dict[int, tuple[float, float]]:
    """Where each rank is drawn, in pixels: x by cluster, host and place within it, y by depth in the tree."""
    depth = {rank: _depth(rank, parents) for rank in parents}
    hosts: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row in ranks:
        hosts[row["cluster"], row["host"]].append(row["rank"])
    clusters = list(dict.fromkeys(cluster for cluster, _ in hosts))
    places: dict[int, tuple[float, float]] = {}
    x = 0.0
    for cluster in clusters:
        for key in (key for key in hosts if key[0] == cluster):
            by_depth: dict[int, list[int]] = defaultdict(list)
            for rank in sorted(hosts[key]):
                by_depth[depth[rank]].append(rank)
            width = max(len(row) for row in by_depth.values())
            for level, members in by_depth.items():
                # Even and odd levels lean to different sides, so that an edge to the rank two levels below does not
                # run through the one between.
                shift = (width - len(members)) / 2 + (0.22 if level % 2 else -0.22)
                for at, rank in enumerate(members):
                    places[rank] = (x + (at + shift) * _COLUMN, level * _ROW)
            x += (width - 1) * _COLUMN + _HOST_GAP + _COLUMN
        x += _CLUSTER_GAP
    return places


def extent(elements: Sequence[dict[str, Any]]) -> tuple[float, float]:
    """How wide and how high the drawing of these elements is, boxes and their names included, in pixels."""
    placed = [element["position"] for element in elements if "position" in element]
    x, y = [place["x"] for place in placed], [place["y"] for place in placed]
    return max(x) - min(x) + _FRAME, max(y) - min(y) + _FRAME


def stylesheet(dark: bool) -> list[dict[str, Any]]:
    """How cytoscape draws the elements.

    Its canvas knows no style sheet of the page, so there is one for each colour scheme.
    """
    ink, paper, box, line = (
        ("#e6e8ea", "#2b2f35", "#24282d", "#495057") if dark else ("#212529", "#ffffff", "#f6f7f9", "#ced4da")
    )
    shares = DARK_SHARES if dark else LIGHT_SHARES
    text = {"font-family": "Helvetica, Arial, sans-serif", "color": ink}
    return [
        {"selector": "node", "style": {**text, "label": "data(label)"}},
        {
            "selector": ".box",
            "style": {
                "shape": "round-rectangle",
                "background-color": box,
                "border-color": line,
                "border-width": 1,
                "text-valign": "top",
                "text-halign": "center",
                "text-margin-y": -6,
                "font-size": 16,
                "padding": "20px",
            },
        },
        {
            "selector": ".cluster",
            "style": {
                "font-size": 17,
                "font-weight": 600,
                "border-style": "dashed",
                "background-opacity": 0,
                "padding": "34px",
            },
        },
        {
            "selector": ".rank",
            "style": {
                "width": 38,
                "height": 38,
                "background-color": paper,
                "border-width": 2,
                "border-color": "#868e96",
                "text-valign": "center",
                "text-halign": "center",
                "font-size": 16,
            },
        },
        {
            "selector": ".root",
            "style": {"border-color": CATEGORY_COLOURS["compute"], "border-width": 4, "font-weight": 700},
        },
        {
            "selector": "edge",
            "style": {
                **text,
                "width": "data(width)",
                "line-color": shares[0],
                "target-arrow-color": shares[0],
                "target-arrow-shape": "triangle",
                "curve-style": "straight",
                "arrow-scale": 1.1,
                "font-size": 13,
                "text-background-color": paper,
                "text-background-opacity": 1,
                "text-background-padding": "2px",
                "text-background-shape": "roundrectangle",
            },
        },
        *(
            {"selector": f".{link}", "style": {"line-style": "dashed", "line-dash-pattern": list(dashes)}}
            for link, dashes in LINK_DASHES.items()
            if dashes
        ),
        *(
            {"selector": f".share-{step}", "style": {"line-color": colour, "target-arrow-color": colour}}
            for step, colour in enumerate(shares)
        ),
        {
            "selector": ".delayed",
            "style": {"line-color": CATEGORY_COLOURS["wan"], "target-arrow-color": CATEGORY_COLOURS["wan"], "width": 6},
        },
        {
            "selector": ".behind",
            "style": {
                "line-color": CATEGORY_COLOURS["compute"],
                "target-arrow-color": CATEGORY_COLOURS["compute"],
                "width": 4,
            },
        },
        {"selector": ".absorber", "style": {"border-color": CATEGORY_COLOURS["compute"], "border-width": 6}},
        {"selector": ".unweighted", "style": {"line-color": ink, "target-arrow-color": ink, "opacity": 0.75}},
        # At the child's end edges are further apart than in the middle or at the parent.
        {"selector": ".label-source", "style": {"source-label": "data(label)", "source-text-offset": "data(offset)"}},
        {"selector": ".label-target", "style": {"target-label": "data(label)", "target-text-offset": "data(offset)"}},
        {"selector": ":selected", "style": {"overlay-opacity": 0.12, "overlay-color": CATEGORY_COLOURS["compute"]}},
    ]


def with_delay(
    drawn: Sequence[dict[str, Any]], *, delayed: tuple[int, int], absorber: int | None, behind: tuple[int, int] | None
) -> list[dict[str, Any]]:
    """The elements of a tree with the edge of a delayed hop marked, the rank that absorbed most of its delay, and the
    edge of the hop that was later there."""
    added = {f"edge-{delayed[0]}-{delayed[1]}": "delayed", f"rank-{absorber}": "absorber"}
    if behind is not None:
        added[f"edge-{behind[0]}-{behind[1]}"] = "behind"
    return [
        {**each, "classes": f"{each['classes'].replace('unweighted', '')} {added[each['data']['id']]}"}
        if each["data"]["id"] in added
        else each
        for each in drawn
    ]


def crossings(ranks: Sequence[Row], parents: Mapping[int, int | None]) -> int:
    """How many edges of a tree run between clusters."""
    of_rank = {row["rank"]: row for row in ranks}
    return sum(
        _link(of_rank.get(rank), of_rank.get(parent)) == "wan" for rank, parent in parents.items() if parent is not None
    )


def _boxes(ranks: Sequence[Row]) -> list[dict[str, Any]]:
    clusters = dict.fromkeys(row["cluster"] for row in ranks)
    hosts = dict.fromkeys((row["cluster"], row["host"]) for row in ranks)
    return [
        {
            "data": {"id": f"cluster-{cluster}", "label": cluster},
            "classes": "box cluster",
            "grabbable": False,
            "selectable": False,
        }
        for cluster in clusters
    ] + [
        {
            "data": {"id": f"host-{cluster}/{host}", "label": host, "parent": f"cluster-{cluster}"},
            "classes": "box host",
            "grabbable": False,
            "selectable": False,
        }
        for cluster, host in hosts
    ]


_NEVER: Final[Row] = {"share": 0.0}


def _edge(src: int, dst: int, link: str, row: Row | None, largest: float) -> dict[str, Any]:
    share = (row["share"] or 0) if row is not None else 0
    width = 2.4 if row is None else 1.6 + (8 * share / largest if largest else 0)
    data = {
        "id": f"edge-{src}-{dst}",
        "source": f"rank-{src}",
        "target": f"rank-{dst}",
        "width": round(width, 2),
        "label": "",
        "src": src,
        "dst": dst,
        "link": link,
        "share": share,
    }
    step = round((len(LIGHT_SHARES) - 1) * share / largest) if largest else 0
    weight = "unweighted" if row is None else f"share-{step}"
    return {"data": data, "classes": f"{link} {weight}"}


def _label(edges: Sequence[dict[str, Any]], places: Mapping[int, tuple[float, float]], phase: str, most: float) -> None:
    """Write the shares of the heavy edges beside their children, where no other text and no rank is in the way."""
    heavy = [edge for edge in edges if most and edge["data"]["share"] >= _LABELLED * most]
    heavy.sort(key=lambda edge: -edge["data"]["share"])
    lines = []
    for edge in heavy:
        src, dst = places[edge["data"]["src"]], places[edge["data"]["dst"]]
        lines.append((src, dst) if phase == "up" else (dst, src))
    texts = [units.share(edge["data"]["share"]) for edge in heavy]
    for edge, text, at in zip(heavy, texts, place(lines, texts, list(places.values())), strict=True):
        if at is not None:
            # Cytoscape counts from where the line touches the rank.
            edge["data"] |= {"label": text, "offset": round(at - RADIUS)}
            edge["classes"] += " label-source" if phase == "up" else " label-target"


def _depth(rank: int, parents: Mapping[int, int | None]) -> int:
    depth, at = 0, parents[rank]
    # A tree with a cycle never reaches a root: stop rather than hang.
    while at is not None and depth <= len(parents):
        depth, at = depth + 1, parents.get(at)
    return depth


def _link(one: Row | None, other: Row | None) -> str:
    if one is None or other is None:
        return "wan"
    if one["rank"] == other["rank"]:
        return "self"
    if one["cluster"] != other["cluster"]:
        return "wan"
    return "shm" if one["host"] == other["host"] else "lan"
