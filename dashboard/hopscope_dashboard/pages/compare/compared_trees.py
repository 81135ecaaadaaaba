"""The part of the page Compare that shows who sends to whom in both runs, with the edges that only one of them has."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from dash import dcc, html
from dash.development.base_component import Component
from hopscope.format import quantities
from hopscope.vocabulary.words import ROLES

from hopscope_dashboard.components import blocks, empty
from hopscope_dashboard.components.choice import choice
from hopscope_dashboard.components.graph import changes_legend, graph, links_legend
from hopscope_dashboard.components.select import select
from hopscope_dashboard.data.trace import Row, Rows, TraceData, meanings
from hopscope_dashboard.figures.graphs.graph import Graph, Pair, with_changes
from hopscope_dashboard.figures.graphs.rounds import placed_rounds
from hopscope_dashboard.figures.graphs.tree import Fold, placed_tree
from hopscope_dashboard.figures.path_pair import RUNS
from hopscope_dashboard.navigation.address import Query, allowed_word, link, number
from hopscope_dashboard.navigation.selection import TRACE, trace_attribute
from hopscope_dashboard.pages.communication import algorithms
from hopscope_dashboard.pages.communication.algorithms import RanAlgorithm
from hopscope_dashboard.pages.compare import compared_leads
from hopscope_dashboard.palette import LINK_COLOURS

SENTENCE = "compare-trees-said"
EDGES = "compare-edges"
DRAWINGS: Final = {run: f"compare-tree-{run}" for run in RUNS}

_ALGORITHM_KEYS: Final = {run: f"{run}-ran" for run in RUNS}
"""The address's parameter that selects a run's drawing, for each run."""

_PAIR_WIDTH: Final = 640
"""Largest width, in pixels, of drawings that stand side by side."""
_ROW_LIMIT: Final = 60


@dataclass(frozen=True)
class _Side:
    """One run: its algorithm for the chosen operation and communicator, and the edges of the chosen role."""

    run: str
    data: TraceData
    algorithm: RanAlgorithm | None
    edges: dict[Pair, Row]


def cards(base: TraceData, new: TraceData, query: Query) -> list[Component]:
    """Give the drawings side by side and all edges in a table.

    The address selects the operation by `op`, the communicator by `comm`, and the `role`; if a run has several trees or
    algorithms for these, `base-ran` or `new-ran` selects one by a collective that ran it.
    """
    rows = [_algorithm_rows(data) for data in (base, new)]
    if not any(rows):
        return [empty.nothing_to_draw("Who sends to whom", ["Neither run has hops. The page ", _to_tree(base), _HELP])]
    all_rows = [row for of_run in rows for row in of_run]
    op = allowed_word(query, "op", tuple(dict.fromkeys(row["op"] for row in all_rows)))
    comms = sorted({row["comm"] for row in all_rows if row["op"] == op})
    asked_comm = number(query, "comm")
    comm = asked_comm if asked_comm is not None and asked_comm in comms else comms[0]
    kinds = [[row for row in of_run if (row["op"], row["comm"]) == (op, comm)] for of_run in rows]
    run_algorithms = _chosen_algorithms(base, new, kinds, query)
    roles = [word for word in ROLES if any(algorithm and word in algorithm.roles for algorithm in run_algorithms)]
    role = allowed_word(query, "role", tuple(roles))
    sides = [
        _Side(
            run,
            data,
            algorithm,
            {(row["src"], row["dst"]): row for row in algorithm.edges_of(role)} if algorithm else {},
        )
        for run, data, algorithm in zip(RUNS, (base, new), run_algorithms, strict=True)
    ]
    names = {**algorithms.comms(new), **algorithms.comms(base)}
    parameters = {**query, "op": op, "comm": str(comm)}
    chooser = html.Div(
        [
            select(
                "Operation", parameters, "op", options={word: word for word in _ops(all_rows)}, current=op,
                dependents=("comm", "role", *_ALGORITHM_KEYS.values()),
            ),
            select(
                "Communicator", parameters, "comm",
                options={str(comm_number): names[comm_number] for comm_number in comms}, current=str(comm),
                dependents=("role", *_ALGORITHM_KEYS.values()),
            ),
            *_algorithm_lists(parameters, kinds, run_algorithms),
        ],
        className="selects",
    )  # fmt: skip
    options = {word: f"{word}, {ROLES[word]}" for word in roles}
    controls = [choice("Role", "/compare", parameters, "role", options=options, current=role)] if len(roles) > 1 else []
    return [
        blocks.card(
            "Who sends to whom",
            chooser,
            *controls,
            html.P(_sentence(sides), id=SENTENCE, className="reason"),
            changes_legend() if _has_all_edges(sides) else links_legend(),
            _drawings(sides, role, Fold.from_query(query)),
        ),
        _table(sides),
    ]


_HELP: Final = " says how to get them."


def _to_tree(data: TraceData) -> Component:
    return dcc.Link("Algorithms and trees", href=link("/tree", **{TRACE: data.identity}))


def _algorithm_rows(data: TraceData) -> Rows:
    """Algorithms with known messages between several ranks, the most frequent first."""
    rows = sorted(data.rows_or_none("algorithms"), key=lambda row: -row["collectives"])
    return [row for row in rows if row["ranks"] > 1]


def _ops(rows: Sequence[Row]) -> list[str]:
    return sorted({row["op"] for row in rows})


def _chosen_algorithms(
    base: TraceData, new: TraceData, kinds: Sequence[Rows], query: Query
) -> list[RanAlgorithm | None]:
    """For each run, the algorithm that the address names, else the most frequent one. For the new run, algorithms with
    the base's payload come first."""
    payload: int | None = None
    ran_algorithms: list[RanAlgorithm | None] = []
    for run, data, of_run in zip(RUNS, (base, new), kinds, strict=True):
        matches = [row for row in of_run if row["first"] == query.get(_ALGORITHM_KEYS[run])]
        alike = [row for row in of_run if row["bytes"] == payload]
        row = next(iter(matches or alike or of_run), None)
        payload = row["bytes"] if row else None
        ran_algorithms.append(
            RanAlgorithm(row, row["first"], data.rows("algorithms", collective=row["first"])) if row else None
        )
    return ran_algorithms


def _algorithm_lists(
    parameters: Query, kinds: Sequence[Rows], run_algorithms: Sequence[RanAlgorithm | None]
) -> list[Component]:
    """A list of algorithms for each run that has several to choose from."""
    return [
        select(
            f"Drawn of {run}", parameters, _ALGORITHM_KEYS[run], options={row["first"]: _kind(row) for row in of_run},
            current=algorithm.collective, dependents=("role",),
        )
        for run, of_run, algorithm in zip(RUNS, kinds, run_algorithms, strict=True)
        if algorithm is not None and len(of_run) > 1
    ]  # fmt: skip


def _kind(row: Row) -> str:
    return (
        f"{_title(row)}, {quantities.size(row['bytes'])}, {quantities.number(row['collectives'])} × from {row['first']}"
    )


def _has_all_edges(sides: Sequence[_Side]) -> bool:
    """True if the edges of both runs are known; otherwise no edge can be called missing."""
    return all(side.algorithm for side in sides)


def _sentence(sides: Sequence[_Side]) -> str:
    if not _has_all_edges(sides):
        return f"Only the edges of the {next(side.run for side in sides if side.algorithm)} run are known."
    base, new = (set(side.edges) for side in sides)
    if base == new:
        return f"Both runs have the same {quantities.plural(len(base), 'edge')}."
    return (
        f"{quantities.plural(len(base - new), 'edge')} only in base, {quantities.number(len(new - base))} only in new, "
        f"{quantities.number(len(base & new))} in both."
    )


def _drawings(sides: Sequence[_Side], role: str, fold: Fold) -> Component:
    other_edges = [partner.edges if _has_all_edges(sides) else None for partner in reversed(sides)]
    placed = [_placed(side, edges, role, fold) for side, edges in zip(sides, other_edges, strict=True)]
    drawings = [_drawing(side, picture, role) for side, picture in zip(sides, placed, strict=True)]
    is_pair = all(picture is None or picture.bounds[2] - picture.bounds[0] <= _PAIR_WIDTH for picture in placed)
    return blocks.columns(*drawings, widths="minmax(0, 1fr) minmax(0, 1fr)" if is_pair else "minmax(0, 1fr)")


def _placed(side: _Side, other_edges: Mapping[Pair, Row] | None, role: str, fold: Fold) -> Graph | None:
    """The drawing of one run. It marks the edges that the other run lacks, if the other run's edges are known."""
    if side.algorithm is None or not side.edges:
        return None
    if role == "exchange":
        placed = placed_rounds(ranks=side.data.ranks, edges=list(side.edges.values()))
    else:
        parents = side.algorithm.parents(role)
        placed = placed_tree(ranks=side.data.ranks, parents=parents, edges=side.edges, role=role, fold=fold)
    return placed if other_edges is None else with_changes(placed, other_edges.keys(), side.run)


def _drawing(side: _Side, placed: Graph | None, role: str) -> Component:
    heading = f"{side.run.capitalize()}: {side.data.name}"
    if side.algorithm is None:
        reason = ["It has no hops in this run: ", _to_tree(side.data), _HELP]
        return html.Div([html.H3(heading), html.P(reason, className="reason")], id=DRAWINGS[side.run])
    title = _title(side.algorithm.row)
    address = link("/tree", collective=side.algorithm.collective, **{TRACE: side.data.identity})
    head = html.H3([f"{heading}, ", dcc.Link(title, href=address)])
    if placed is None:
        missing = f"It has no edge of the role {role}."
        return html.Div([head, html.P(missing, className="reason")], id=DRAWINGS[side.run])
    left_out = [html.P(placed.left_out, className="hint")] if role == "exchange" else []
    drawing = graph(placed, name=DRAWINGS[side.run], label=f"{heading}, {title}")
    return html.Div([head, *left_out, drawing], **trace_attribute(side.data.identity))


def _title(row: Row) -> str:
    """The algorithm, and what the tree file or the MPI library calls it."""
    title = algorithms.title(row)
    return f"{title} ({row['ran']})" if row["ran"] and row["ran"] != row["algorithm"] else title


def _table(sides: Sequence[_Side]) -> Component:
    base, new = (side.edges for side in sides)
    rows = sorted(
        {**new, **base},
        key=lambda edge: (edge in base and edge in new, -max(_share(base, edge), _share(new, edge)), edge),
    )
    body = [
        [
            f"{edge[0]} → {edge[1]}",
            _membership(edge, base, new) if _has_all_edges(sides) else quantities.MISSING,
            _links([side.edges[edge]["link"] for side in sides if edge in side.edges]),
            *(_median(side, edge) for side in sides),
            *(quantities.share(side.edges[edge]["share"] if edge in side.edges else None) for side in sides),
        ]
        for edge in rows[:_ROW_LIMIT]
    ]
    columns = ["edge", "in", "link", "base median", "new median", "base share", "new share"]
    tooltips = meanings("tree-edges", "src dst", None, "link", "took_ns", "took_ns", "share", "share")
    remainder = f" The first {_ROW_LIMIT} of {quantities.number(len(rows))}." if len(rows) > _ROW_LIMIT else ""
    return blocks.card(
        "Edges",
        blocks.table(columns, body, name=EDGES, right=range(3, 7), meanings=tooltips),
        hint=remainder.strip(),
    )


def _median(side: _Side, edge: Pair) -> Any:
    """The median duration of an edge's hops in a run, linked to these hops."""
    if edge not in side.edges:
        return quantities.MISSING
    return compared_leads.hops(quantities.duration(side.edges[edge]["took_ns"]), side.data, edge)


def _membership(edge: Pair, base: Mapping[Pair, Row], new: Mapping[Pair, Row]) -> str:
    return "both" if edge in base and edge in new else "only base" if edge in base else "only new"


def _share(edges: Mapping[Pair, Row], edge: Pair) -> float:
    return edges[edge]["share"] or 0 if edge in edges else 0


def _links(links: Sequence[str]) -> Component:
    return html.Span([blocks.chip(link_class, LINK_COLOURS[link_class]) for link_class in dict.fromkeys(links)])
