"""Computing of a location before each call: the sum from the reader, and the sum in SQL over the gaps between its MPI
calls."""

import shutil
from pathlib import Path

import hopscope
import pytest
from whole_archives import TRACES

# Rounding ticks to nanoseconds happens once for a sum, but at both ends of each gap.
DIFFERENT = """
with before as (
    select *
    from calls
    qualify location = min(location) over (partition by rank)
),

gaps_before as (
    select before.call_id, sum(gaps.computing_ns) as computing_ns, count(*) as gaps
    from computing_gaps as gaps
    asof inner join before on gaps.rank = before.rank and gaps.end_ns <= before.enter_ns
    group by before.call_id
)

select before.call_id, before.computed_ns, gaps_before.computing_ns
from before
left join gaps_before on before.call_id = gaps_before.call_id
where abs(before.computed_ns - coalesce(gaps_before.computing_ns, 0)) > coalesce(gaps_before.gaps, 0)
"""


@pytest.mark.parametrize("trace", TRACES)
def test_computing_before_a_call_is_the_sum_of_the_gaps_before_it(trace: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(trace, run, ignore=shutil.ignore_patterns("dataset*"))
    opened = hopscope.open(run)
    assert opened.sql("select sum(computed_ns) > 0 as some from calls").to_pylist() == [{"some": True}]
    assert opened.sql(DIFFERENT).to_pylist() == []
