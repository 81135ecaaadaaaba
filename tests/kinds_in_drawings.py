"""Adds columns and tables to drawn tables, as a conversion does: kinds of collectives, roles and rounds of hops, and
trees."""

import pyarrow as pa
from hopscope.dataset.convert.part_hops import Communicator
from hopscope.dataset.convert.roles import Kinds


def with_kinds(tables: dict[str, pa.Table]) -> dict[str, pa.Table]:
    """Recognises the algorithms of drawn collectives. Drawn roles of hops are kept, and so are drawn trees."""
    table_names = ("collectives", "hops", "comms", "ranks")
    if tables.get("kinds") or not all(name in tables and tables[name].num_rows for name in table_names):
        return tables
    comms = {row["comm"]: row for row in tables["comms"].to_pylist()}
    places = {row["rank"]: row for row in tables["ranks"].to_pylist()}

    def communicator(number: int) -> Communicator:
        members = comms[number]["members"]
        hosts, clusters = ([places[rank][name] for rank in members] for name in ("host", "cluster"))
        return Communicator(members, comms[number]["second_group"], hosts, clusters)

    clusters = [places[rank]["cluster"] if rank in places else "" for rank in range(1 + max(places))]
    kinds = Kinds(communicator, clusters)
    collectives = tables["collectives"].sort_by("collective_id")
    hops = tables["hops"].sort_by(
        [("collective_id", "ascending"), ("send_begin_ns", "ascending"), ("hop_id", "ascending")]
    )
    completed = {**kinds.of_part(collectives, tables.get("calls"), hops), **dict(kinds.tables())}
    for name in ("collectives", "hops"):
        completed[name] = completed[name].cast(tables[name].schema)
    return {**tables, **completed, "trees": tables.get("trees") or completed["trees"]}
