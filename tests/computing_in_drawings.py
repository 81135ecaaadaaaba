"""What the calls of a drawn dataset computed before them, where the drawing does not say it."""

import pyarrow as pa


def with_computing(calls: pa.Table, intervals: pa.Table | None) -> pa.Table:
    """The calls with what their locations computed before each: the time that no call and no interval but a region
    takes, since the call before was entered."""
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
    for of_location in stretches.values():
        free: int | None = None
        sum_ns = 0
        for begin, end, call in sorted(of_location, key=lambda it: (it[0], -it[1])):
            sum_ns += 0 if free is None else max(0, begin - free)
            free = end if free is None else max(free, end)
            if call is not None:
                computed[call], sum_ns = sum_ns, 0
    place = calls.schema.get_field_index("computed_ns")
    return calls.set_column(place, calls.schema.field(place), pa.array(computed, pa.int64()))
