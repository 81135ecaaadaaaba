"""Files of settings for MPI libraries: the algorithms that a file's rules select, and the effect of the files on real
libraries."""

import shlex
import subprocess
import sys
from pathlib import Path

import hopscope
import local_mpi
import pytest
from hopscope.mpi_libraries.offered import Offered
from hopscope.mpi_libraries.open_mpi.rules import read_rules, rules_for
from hopscope.mpi_libraries.written import Choice, Setting, rules_file, variables_file

PROGRAM = Path(__file__).parents[1] / "algorithms" / "programs" / "broadcasts.c"
LINEAR = Offered("bcast", "basic_linear", 1, "coll_tuned_bcast_algorithm")
CHAIN = Offered("bcast", "chain", 2, "coll_tuned_bcast_algorithm")
RING = Offered("allreduce", "ring", 4, "coll_tuned_allreduce_algorithm")
OPEN_MPIS = [mpi for mpi in local_mpi.find_all() if mpi.flavour == "openmpi"]
MPICHS = [mpi for mpi in local_mpi.find_all() if mpi.flavour == "mpich"]


def test_rules_hold_for_what_was_chosen_and_nothing_else() -> None:
    choices = [Choice(CHAIN, 6, 2048, 9999, 3, 512), Choice(LINEAR, 6, 100, 199), Choice(LINEAR, 7), Choice(RING, 4)]
    rules = read_rules(rules_file(choices, "rules").text)

    def rule_of(operation: str, ranks: int, size: int) -> tuple[int, int]:
        (row,) = rules_for(rules, operation, ranks, size)
        return row.algorithm, row.fan_out

    assert [rule_of("bcast", 6, size) for size in (0, 99, 100, 199, 200, 2047)] == [(n, 0) for n in (0, 0, 1, 1, 0, 0)]
    assert [rule_of("bcast", 6, size) for size in (2048, 9999, 10_000)] == [(2, 3), (2, 3), (0, 0)]
    assert [rule_of("bcast", ranks, 5000)[0] for ranks in (1, 5, 7, 8, 100)] == [0, 0, 1, 0, 0]
    assert [rule_of("allreduce", ranks, 8)[0] for ranks in (3, 4, 5)] == [0, 4, 0]


def test_choices_that_contradict_one_another_are_refused() -> None:
    with pytest.raises(ValueError, match="two choices for bcast at 64 bytes"):
        rules_file([Choice(CHAIN, 6, 0, 100), Choice(LINEAR, 6, 64)], "rules")
    with pytest.raises(ValueError, match="two choices"):
        variables_file([Choice(CHAIN, 6), Choice(LINEAR, 8)], "file")
    with pytest.raises(ValueError, match="has no number"):
        rules_file([Choice(Offered("bcast", "binomial", None, "X"), 6)], "rules")


def recognised(mpi: local_mpi.LocalMpi, folder: Path, setting: Setting) -> dict[int, tuple[str, str]]:
    """The recognised algorithm and the obedience to the setting, by message size, for broadcasts on 6 ranks."""
    (folder / "my settings").write_text(setting.text)
    prefix, words = (setting.words + "; ", []) if mpi.flavour == "mpich" else ("", shlex.split(setting.words))
    launch = [str(Path(sys.executable).parent / "hopscope"), "run", "--dir", str(folder / "trace"), "--"]
    command = shlex.join([*launch, *mpi.launch(6), *words, str(mpi.compile(PROGRAM))])
    extra = {**local_mpi.without_hopscope(), "HOPSCOPE_NATIVE": "mpich" if mpi.flavour == "mpich" else "1"}
    done = subprocess.run(
        ["sh", "-c", prefix + command], cwd=folder, capture_output=True, text=True, check=False, timeout=120, env=extra
    )
    assert done.returncode == 0, done.stderr
    rows = hopscope.open(folder / "trace").algorithms().to_pylist()
    return {row["bytes"]: (row["algorithm"], row["obeyed"]) for row in rows}


@pytest.mark.parametrize("mpi", OPEN_MPIS, ids=[mpi.release for mpi in OPEN_MPIS])
def test_open_mpi_follows_rules_where_they_hold(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    algorithms = recognised(mpi, tmp_path, rules_file([Choice(CHAIN, 6, 2048, fan_out=3)], "my settings"))
    assert algorithms[5000] == ("chain:3", "yes")
    assert algorithms[64][1] is None


@pytest.mark.parametrize("mpi", MPICHS, ids=[mpi.release for mpi in MPICHS])
def test_mpich_follows_variables(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    ring = Offered("bcast", "scatter_ring_allgather", None, "MPIR_CVAR_BCAST_INTRA_ALGORITHM")
    algorithms = recognised(mpi, tmp_path, variables_file([Choice(ring, 0)], "my settings"))
    assert algorithms[5000] == ("scatter-ring", "yes")
