"""Whether a trace says from where the program called MPI."""

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import pyarrow as pa

_KNOWN = """
select 1 from calls where call_site is not null
union all select 1 from intervals where call_site is not null and kind <> 'region'
limit 1
"""


class Asked(Protocol):
    """What is needed of a trace."""

    def number_of_rows(self, table: str) -> int:
        """Of a table of the whole trace."""
        ...

    def sql(self, query: str) -> "pa.Table":
        """The answer to a query."""
        ...


def are_known(trace: Asked) -> bool:
    """Whether any call of MPI has a place. Regions have places, too, and do not count."""
    return bool(trace.number_of_rows("places") and trace.sql(_KNOWN).num_rows)
