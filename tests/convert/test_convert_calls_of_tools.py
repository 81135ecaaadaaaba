"""Calls that another tracing tool makes for itself are in the archive, but no analysis counts them."""

import shutil
from collections import Counter
from pathlib import Path

import hopscope

ARCHIVE = Path(__file__).parent / "archives" / "pair-late-rank"


def test_what_score_p_did_for_itself_is_not_the_programs(tmp_path: Path) -> None:
    # The program is linked to Score-P, and makes 50 Allreduces and 200 Sendrecvs. Regression: the answers had 64
    # collectives and 386 messages.
    trace = hopscope.open(shutil.copytree(ARCHIVE, tmp_path / "pair"))
    assert Counter(row["op"] for row in trace.table("collectives").to_pylist()) == {"MPI_Allreduce": 50}
    assert len(trace.table("messages").to_pylist()) == 200
    own_calls = Counter(row["region"] for row in trace.table("intervals").to_pylist() if row["kind"] == "tool")
    assert (own_calls["MPI_Send"], own_calls["MPI_Recv"], own_calls["MPI_Bcast"]) == (186, 186, 12)
