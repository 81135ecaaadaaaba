"""Columns that follow from the calls of a drawn dataset: computing before each call, the previous call and its leave,
and the last enter of each collective."""

import pyarrow as pa


def with_computing(calls: pa.Table, intervals: pa.Table | None) -> pa.Table:
    """Adds to each call the previous call of its location, that call's leave, and the computing before the call.
    Computing is the time since the previous call's enter that no call and no interval covers; regions cover nothing."""
    stretches: dict[tuple[int, int], list[tuple[int, int, int | None]]] = {}
    for number, call in enumerate(calls.to_pylist()):
        end = call["enter_ns"] if call["leave_ns"] is None else call["leave_ns"]
        stretches.setdefault((call["rank"], call["location"]), []).append((call["enter_ns"], end, number))
    for interval in [] if intervals is None else intervals.to_pylist():
        if interval["kind"] != "region":
            begin = interval["begin_ns"]
            end = begin if interval["end_ns"] is None else interval["end_ns"]
            stretches.setdefault((interval["rank"], interval["location"]), []).append((begin, end, None))
    computed = [0] * calls.num_rows
    previous: list[int | None] = [None] * calls.num_rows
    for of_location in stretches.values():
        free: int | None = None
        sum_ns, latest = 0, None
        for begin, end, call in sorted(of_location, key=lambda stretch: (stretch[0], -stretch[1])):
            sum_ns += 0 if free is None else max(0, begin - free)
            free = end if free is None else max(free, end)
            if call is not None:
                computed[call], sum_ns = sum_ns, 0
                previous[call], latest = latest, calls["call_id"][call].as_py()
    leaves = dict(zip(calls["call_id"].to_pylist(), calls["leave_ns"].to_pylist(), strict=True))
    released = [None if call is None else leaves[call] for call in previous]
    calls = _replace_column(_replace_column(calls, "computed_ns", computed), "prev_call_id", previous)
    return _replace_column(calls, "released_ns", released)


def with_last_enters(collectives: pa.Table, calls: pa.Table, *, enters_drawn: bool = False) -> pa.Table:
    """Adds to each collective the latest enter of its calls, unless the drawing has it, and the rank of that enter.
    Collectives without calls are unchanged."""
    names = ("collective_id", "last_enter_ns", "last_rank")
    latest = {
        collective: (enter_ns, rank)
        for collective, enter_ns, rank in zip(*(collectives[n].to_pylist() for n in names), strict=True)
    }
    entered = zip(*(calls[name].to_pylist() for name in ("collective_id", "enter_ns", "rank")), strict=True)
    for collective, enter_ns, rank in sorted(entered, key=lambda call: (call[1], -call[2])):
        latest[collective] = enter_ns, rank
    last_enters = [latest[collective] for collective in collectives["collective_id"].to_pylist()]
    if not enters_drawn:
        collectives = _replace_column(collectives, "last_enter_ns", [enter_ns for enter_ns, _ in last_enters])
    return _replace_column(collectives, "last_rank", [rank for _, rank in last_enters])


def _replace_column(table: pa.Table, column: str, values: list[int] | list[int | None]) -> pa.Table:
    place = table.schema.get_field_index(column)
    field = table.schema.field(place)
    return table.set_column(place, field, pa.array(values, field.type))
