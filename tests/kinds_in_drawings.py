"""What a conversion adds to drawn tables: kinds of collectives, roles and rounds of hops, and trees."""

import pyarrow as pa
from hopscope.dataset.convert.part_hops import Communicator
from hopscope.dataset.convert.roles import Kinds


def with_kinds(drawn: dict[str, pa.Table]) -> dict[str, pa.Table]:
    """Recognise what drawn collectives ran by. Roles of hops are kept where they are drawn, and so are trees."""
    needed = ("collectives", "hops", "comms", "ranks")
    if drawn.get("kinds") or not all(name in drawn and drawn[name].num_rows for name in needed):
        return drawn
    comms = {row["comm"]: row for row in drawn["comms"].to_pylist()}
    places = {row["rank"]: row for row in drawn["ranks"].to_pylist()}

    def communicator(number: int) -> Communicator:
        members = comms[number]["members"]
        hosts, clusters = ([places[rank][name] for rank in members] for name in ("host", "cluster"))
        return Communicator(members, comms[number]["second_group"], hosts, clusters)

    clusters = [places[rank]["cluster"] if rank in places else "" for rank in range(1 + max(places))]
    kinds = Kinds(communicator, clusters)
    collectives = drawn["collectives"].sort_by("collective_id")
    hops = drawn["hops"].sort_by(
        [("collective_id", "ascending"), ("send_begin_ns", "ascending"), ("hop_id", "ascending")]
    )
    completed = {**kinds.of_part(collectives, drawn.get("calls"), hops), **dict(kinds.tables())}
    for name in ("collectives", "hops"):
        completed[name] = completed[name].cast(drawn[name].schema)
    return {**drawn, **completed, "trees": drawn.get("trees") or completed["trees"]}
