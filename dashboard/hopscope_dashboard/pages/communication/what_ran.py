"""Algorithms inside the collectives, for the page Algorithms and trees: a table of all algorithms, and a drawing of one
as a tree or as rounds of messages."""

from collections.abc import Sequence
from typing import Any, Final

from dash import dcc, html
from dash.development.base_component import Component
from hopscope.format import quantities
from hopscope.vocabulary.words import ROLES

from hopscope_dashboard.components import blocks, exports
from hopscope_dashboard.components.choice import choice
from hopscope_dashboard.components.graph import graph, is_wide, links_legend, widths_legend
from hopscope_dashboard.components.mark import mark
from hopscope_dashboard.components.select import select
from hopscope_dashboard.data.trace import Row, Rows, TraceData, meanings
from hopscope_dashboard.figures.graphs.rounds import placed_rounds
from hopscope_dashboard.figures.graphs.tree import Fold, placed_tree
from hopscope_dashboard.navigation import leads
from hopscope_dashboard.navigation.address import Query, allowed_word, link
from hopscope_dashboard.pages.communication import algorithms
from hopscope_dashboard.pages.communication.algorithms import RanAlgorithm
from hopscope_dashboard.pages.communication.trees import between_clusters
from hopscope_dashboard.palette import LINK_COLOURS

PICTURE = "algorithm-graph"
ALGORITHMS = "algorithms-table"
DESCRIPTION = "algorithm-said"
EDGES = "algorithm-edges-table"

WIDTHS: Final = "minmax(0, 1fr) 430px"
"""Widths of a drawing and the table of its edges: all columns fit, with ranks of three digits."""

_COLUMNS: Final = (
    "op", "ranks", "bytes", "algorithm", "asked", "obeyed", "collectives", "depth", "messages", "crossings", "first",
)  # fmt: skip
"""The columns of the analysis that the table of algorithms shows."""
_MOST_ALGORITHMS: Final = 30
_MOST_EDGES: Final = 60
"""Largest numbers of rows shown."""


def role_choice(algorithm: RanAlgorithm, query: Query) -> list[Component]:
    """Give the choice between an algorithm's drawings: the tree up, the tree down, the exchange; empty if there is only
    one."""
    if len(algorithm.roles) == 1:
        return []
    options = {word: f"{word}, {ROLES[word]}" for word in algorithm.roles}
    role = allowed_word(query, "role", algorithm.roles)
    return [choice("Role", "/tree", query, "role", options=options, current=role)]


def selects(data: TraceData, rows: Sequence[Row], algorithm: RanAlgorithm, query: Query) -> Component:
    """Give the lists in which the user can choose any algorithm that ran."""
    has_row = algorithm.row in rows
    all_rows = [*rows, *(() if has_row else (algorithm.row,))]
    parameters = {name: value for name, value in query.items() if name != "collective"}

    def choices(label: str, column: str, texts: dict[Any, str], candidates: Sequence[Row]) -> Component:
        first = {row[column]: row["first"] for row in reversed(candidates)} | {
            algorithm.row[column]: algorithm.collective
        }
        options = {first[value]: texts[value] for value in sorted(first, key=lambda value: texts[value])}
        return select(
            label, parameters, "collective", options=options, current=algorithm.collective, dependents=("role",)
        )

    of_op = [row for row in all_rows if row["op"] == algorithm.row["op"]]
    on_comm = [row for row in of_op if row["comm"] == algorithm.row["comm"]]
    by_size = sorted(on_comm, key=lambda row: row["bytes"])
    messages = {row["first"]: f"{quantities.size(row['bytes'])}, {algorithms.title(row)}" for row in by_size}
    if not has_row:
        messages[algorithm.collective] += f", {algorithm.collective}"
    return html.Div(
        [
            choices("Operation", "op", {row["op"]: row["op"] for row in all_rows}, all_rows),
            choices("Communicator", "comm", algorithms.comms(data), of_op),
            select(
                "Payload and algorithm",
                parameters,
                "collective",
                options=messages,
                current=algorithm.collective,
                dependents=("role",),
            ),
        ],
        className="selects",
    )


def picture(data: TraceData, algorithm: RanAlgorithm, query: Query) -> Component:
    """Give the drawing of an algorithm that ran, with a table of its edges."""
    role = allowed_word(query, "role", algorithm.roles)
    edges = algorithm.edges_of(role)
    title = f"{algorithm.row['op']}: {algorithms.title(algorithm.row)}"
    if role == "exchange":
        placed, label = placed_rounds(ranks=data.ranks, edges=edges), title
        reading = f"An arrow leads from the lane of its sender to that of its receiver. {placed.left_out}"
    else:
        parents = algorithm.parents(role)
        by_edge = {(row["src"], row["dst"]): row for row in edges}
        placed = placed_tree(
            ranks=data.ranks, parents=parents, edges=by_edge, role=role, by_link=True, fold=Fold.from_query(query)
        )
        label = f"{title}, role {role}"
        reading = f"{between_clusters(data.ranks, parents)} The root has the thick ring."
    return blocks.columns(
        blocks.card(
            title,
            html.P(_description(data, algorithm), id=DESCRIPTION, className="reason"),
            html.P(reading, className="hint"),
            links_legend(coloured=True),
            widths_legend(placed.largest_share),
            graph(placed, name=PICTURE, label=label),
        ),
        edges_table(
            edges,
            name=EDGES,
            hint="In the collectives drawn.",
            rest=f"analyze algorithms {data.path} --collective {algorithm.collective}",
            full=exports.csv_address("algorithms", collective=algorithm.collective),
            role=role,
        ),
        widths="minmax(0, 1fr)" if is_wide(placed) else WIDTHS,
    )


def _description(data: TraceData, algorithm: RanAlgorithm) -> list[Any]:
    row = algorithm.row
    library = (data.run["mpi_library"] or "The MPI library").split(",")[0]
    runner = library if row["source"] == "native" else "Hopscope's engine"
    payload = f" of {quantities.size(row['bytes'])}" if row["bytes"] else ""
    sentences = [
        f"{runner} ran {row['op']}{payload} on {algorithms.comms(data)[row['comm']]}, "
        f"{quantities.plural(row['ranks'], 'rank')}. {algorithms.recognised(row)}"
    ]
    if row["same"]:
        sentences.append(f"These messages also fit {row['same']}.")
    if row["asked"]:
        obeyed = {"yes": "it ran", "no": f"another one ran{': ' if row['why'] else ''}{row['why'] or ''}"}
        sentences.append(
            f"Your settings ask for {row['asked']}: {obeyed.get(row['obeyed'], 'whether it ran is undecided')}."
        )
    alike = algorithm.edges[0]["collectives"]
    alike_phrase = f" and {quantities.plural(alike - 1, 'other')} alike" if alike > 1 else ""
    total_phrase = f" of {quantities.number(row['collectives'])} run this way" if row["collectives"] > alike else ""
    address = leads.collective(algorithm.collective)
    return [
        " ".join(sentences),
        " Drawn: ",
        dcc.Link(algorithm.collective, href=address),
        f"{alike_phrase}{total_phrase}.",
    ]


def edges_table(edges: Rows, *, name: str, hint: str, full: str, rest: str = "", role: str | None = None) -> Component:
    """Give a table of the heaviest edges. For an exchange, it shows each edge's rounds if the rows have them. `rest`:
    the command that lists the remaining edges. `full`: the address of all rows as a file."""
    in_rounds = role == "exchange" and any("rounds" in row for row in edges)
    rows = [
        [
            mark(f"{row['src']} → {row['dst']}", leads.edge(row["src"], row["dst"]), leads.EDGE_DOES),
            *([row["rounds"].replace("-", "–")] if in_rounds else []),
            blocks.chip(row["link"], LINK_COLOURS[row["link"]]),
            quantities.number(row["hops"]),
            quantities.duration(row["took_ns"]),
            *([] if in_rounds else [quantities.duration(row["time_ns"])]),
            quantities.share(row["share"]),
        ]
        for row in edges[:_MOST_EDGES]
    ]
    columns = (
        ["edge", "round", "link", "hops", "median", "share"]
        if in_rounds
        else ["edge", "link", "hops", "median", "on path", "share"]
    )
    meaning_columns = [
        "src dst",
        *(["rounds"] if in_rounds else []),
        "link",
        "hops",
        "took_ns",
        *([] if in_rounds else ["time_ns"]),
    ]
    options = {"collective": "0:0"} if in_rounds else {}
    tooltips = meanings("algorithms" if in_rounds else "tree-edges", *meaning_columns, "share", **options)
    left_out = len(edges) - len(rows)
    return blocks.card(
        "Edges, heaviest first",
        blocks.table(
            columns, rows, name=name, right=(3, 4, 5) if in_rounds else (2, 3, 4, 5), full=full, meanings=tooltips
        ),
        hint=[hint, *_remainder(left_out, rest)],
    )


def _remainder(left_out: int, command: str) -> list[Component | str]:
    """Name the command that shows the rows left out, if any."""
    return [f" {quantities.plural(left_out, 'more row')}: ", html.Code(command), "."] if left_out else []


def table(rows: Sequence[Row]) -> Component:
    """Give the table of algorithms; empty if none is known."""
    if not rows:
        return html.Div()
    shown_rows = rows[:_MOST_ALGORITHMS]
    rest = len(rows) - len(shown_rows)
    columns = [
        "operation", "ranks", "payload", "algorithm", "asked", "obeyed", "ran", "depth", "messages", "crossings",
        "first",
    ]  # fmt: skip
    return blocks.card(
        "What your MPI library did" if any(row["source"] == "native" for row in rows) else "What ran",
        blocks.table(
            columns,
            [_algorithm(row) for row in shown_rows],
            name=ALGORITHMS,
            right=(1, 2, 6, 7, 8, 9),
            last=(1, 8),
            full=exports.csv_address("algorithms"),
            meanings=meanings("algorithms", *_COLUMNS),
        ),
        hint=_remainder(rest, "analyze algorithms"),
    )


def _algorithm(row: Row) -> list[Any]:
    return [
        row["op"],
        quantities.number(row["ranks"]),
        quantities.size(row["bytes"]),
        dcc.Link(row["algorithm"], href=link("/tree", collective=row["first"])),
        row["asked"] or quantities.MISSING,
        row["obeyed"] or quantities.MISSING,
        quantities.number(row["collectives"]),
        quantities.MISSING if row["depth"] is None else quantities.number(row["depth"]),
        quantities.number(row["messages"]),
        quantities.MISSING if row["crossings"] is None else quantities.number(row["crossings"]),
        dcc.Link(row["first"], href=leads.collective(row["first"])),
    ]
