"""Restricts a run to a part, by SQL views that replace the dataset's tables."""

from dataclasses import dataclass, fields, replace


@dataclass(frozen=True)
class Part:
    """A part of one run, in the values that SQL uses. None: the value restricts nothing."""

    from_ns: int | None = None
    to_ns: int | None = None
    ranks: tuple[int, ...] | None = None
    comms: tuple[int, ...] | None = None
    operation: str | None = None
    region: str | None = None
    places: tuple[str, ...] | None = None
    iteration_at: str | None = None
    """The place that every iteration calls once; it restricts nothing."""

    def macros(self) -> dict[str, str]:
        """Macros that return the values: the SQL of each by its signature."""
        return {
            f"part_{field.name}()": _literal(getattr(self, field.name), _TYPES[field.name]) for field in fields(self)
        }

    def is_restricted(self) -> bool:
        """Tell if the part is less than the whole run."""
        return replace(self, iteration_at=None) != Part()

    def rests_on(self) -> tuple[str, ...]:
        """The catalog's views of the whole run that the views of this part read."""
        return ("calls_at", "message_calls") if self.operation is not None or self.places is not None else ()

    def view(self, name: str) -> str | None:
        """The SELECT for the rows of a table (or of the view `computing_gaps`) that lie in this part; None if all rows
        do."""
        restrictions = {field.name for field in fields(self) if getattr(self, field.name) is not None}
        if name in ("calls", "hops", "steps", "chains"):
            return f"from whole_{name} where collective_id in (select collective_id from collectives)"
        if name == "path_stretches":
            return _stretches(restrictions)
        conditions = [sql for field, sql in _CONDITIONS.get(name, {}).items() if field in restrictions]
        if name == "intervals" and conditions:
            return f"{_CLIPPED_INTERVALS} from whole_intervals as it where {' and '.join(conditions)}"
        return f"from whole_{name} as it where {' and '.join(conditions)}" if conditions else None


_TYPES = {
    "from_ns": "bigint", "to_ns": "bigint", "ranks": "integer[]", "comms": "integer[]", "operation": "varchar",
    "region": "varchar", "places": "varchar[]", "iteration_at": "varchar",
}  # fmt: skip

VISITS = """
create view part_visits as
with visits as (
    select rank, begin_ns, coalesce(end_ns, 9223372036854775807) as end_ns
    from whole_intervals
    where kind = 'region' and region = part_region()
),
marked as (
    select
        *,
        begin_ns > max(end_ns) over (
            partition by rank order by begin_ns, end_ns rows between unbounded preceding and 1 preceding
        ) as is_first
    from visits
),
numbered as (
    select
        *,
        count(*) filter (where coalesce(is_first, true))
            over (partition by rank order by begin_ns, end_ns) as visit
    from marked
)
select rank, min(begin_ns) as begin_ns, max(end_ns) as end_ns from numbered group by rank, visit;
"""
"""The times during which each rank was inside the region that was asked for."""


def _visited(rank: str, time: str) -> str:
    return (
        "exists (select 1 from part_visits as visits "
        f"where visits.rank = {rank} and visits.begin_ns <= {time} and visits.end_ns > {time})"
    )


def _at_place(call_site: str) -> str:
    return f"list_contains(part_places(), coalesce({call_site}, unknown_place()))"


_GOES_THROUGH = "it.message_id in (select through.message_id from message_calls as through where {condition})"

# For each table and restriction, the condition for a row (`it`) to be in the part.
_CONDITIONS: dict[str, dict[str, str]] = {
    "collectives": {
        "from_ns": "it.last_enter_ns >= part_from_ns()",
        "to_ns": "it.last_enter_ns < part_to_ns()",
        "ranks": "it.comm in (select those.comm from whole_comms as those "
        "where list_has_any(those.members, part_ranks()))",
        "comms": "list_contains(part_comms(), it.comm)",
        "operation": "it.op = part_operation()",
        "region": "it.collective_id in (select inside.collective_id from whole_calls as inside where "
        + _visited("inside.rank", "inside.enter_ns")
        + ")",
        "places": "it.collective_id in (select called.collective_id from whole_calls as called "
        f"where {_at_place('called.call_site')})",
    },
    "messages": {
        "from_ns": "coalesce(it.recv_end_ns, it.send_begin_ns) >= part_from_ns()",
        "to_ns": "coalesce(it.recv_end_ns, it.send_begin_ns) < part_to_ns()",
        "ranks": "(list_contains(part_ranks(), it.src) or list_contains(part_ranks(), it.dst))",
        "comms": "list_contains(part_comms(), it.comm)",
        "operation": _GOES_THROUGH.format(condition="through.region = part_operation()"),
        "region": _visited("it.src", "it.send_begin_ns"),
        "places": _GOES_THROUGH.format(condition=_at_place("through.call_site")),
    },
    "intervals": {
        "from_ns": "(it.end_ns is null or it.end_ns > part_from_ns())",
        "to_ns": "it.begin_ns < part_to_ns()",
        "ranks": "list_contains(part_ranks(), it.rank)",
        "operation": "(it.kind = 'region' or it.region = part_operation())",
        "region": _visited("it.rank", "it.begin_ns"),
        "places": f"(it.kind = 'region' or {_at_place('it.call_site')})",
    },
    "computing_gaps": {
        "from_ns": "it.end_ns >= part_from_ns()",
        "to_ns": "it.end_ns < part_to_ns()",
        "ranks": "list_contains(part_ranks(), it.rank)",
        "region": _visited("it.rank", "it.end_ns"),
        **dict.fromkeys(
            ("comms", "operation", "places"),
            "((it.rank, it.end_ns) in (select (rank, enter_ns) from calls) "
            "or (it.rank, it.end_ns) in (select (rank, begin_ns) from intervals where kind <> 'region'))",
        ),
    },
}

_CLIPPED_INTERVALS = (
    "select it.* replace (greatest(it.begin_ns, part_from_ns()) as begin_ns, "
    "case when it.end_ns is not null then least(it.end_ns, part_to_ns()) end as end_ns)"
)

# For each restriction, the condition for a stretch of the run's path. `op` and `call_site` are those of its call; a
# stretch of computing has the call site that it led to.
_STRETCHES = {
    "ranks": "list_contains(part_ranks(), it.rank)",
    "comms": "(it.collective_id in (select c.collective_id from whole_collectives as c "
    "where list_contains(part_comms(), c.comm)) "
    "or it.message_id in (select m.message_id from whole_messages as m where list_contains(part_comms(), m.comm)))",
    "operation": "it.op = part_operation()",
    "places": _at_place("it.call_site"),
}


def _stretches(restrictions: set[str]) -> str:
    conditions = ["it.path = 'run'", *(sql for field, sql in _STRETCHES.items() if field in restrictions)]
    begin, end, source = "it.begin_ns", "it.end_ns", "whole_path_stretches as it"
    if "region" in restrictions:
        source += (
            " join part_visits as visits on it.rank = visits.rank "
            "and it.end_ns > visits.begin_ns and it.begin_ns < visits.end_ns"
        )
        begin, end = f"greatest({begin}, visits.begin_ns)", f"least({end}, visits.end_ns)"
    if restrictions & {"from_ns", "to_ns"}:
        begin, end = f"greatest({begin}, part_from_ns())", f"least({end}, part_to_ns())"
        conditions += ["it.end_ns > coalesce(part_from_ns(), -1)"] if "from_ns" in restrictions else []
        conditions += ["it.begin_ns < part_to_ns()"] if "to_ns" in restrictions else []
    return (
        f"select it.* replace ({begin} as begin_ns, {end} as end_ns) from {source} where {' and '.join(conditions)} "
        "union all from whole_path_stretches as it where it.path <> 'run' "
        "and it.path_collective_id in (select collective_id from collectives)"
    )


def _literal(value: object, kind: str) -> str:
    """A value as an SQL literal of this type."""
    if value is None:
        text = "null"
    elif isinstance(value, tuple):
        text = f"[{', '.join(quoted(item) if isinstance(item, str) else str(item) for item in value)}]"
    else:
        text = quoted(value) if isinstance(value, str) else str(value)
    return f"{text}::{kind}"


def quoted(text: str) -> str:
    """A text as an SQL literal, because a view's definition takes no parameters."""
    return "'" + text.replace("'", "''") + "'"
