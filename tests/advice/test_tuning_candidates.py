"""The changes that a candidate makes to a command, alone and together with another candidate."""

from pathlib import Path

from hopscope.advice.tune.candidate import RULES, TREE, Candidate, combined, from_row, started, with_choices, written
from hopscope.advice.tune.pool import screened
from hopscope.mpi_libraries.offered import Offered
from hopscope.mpi_libraries.written import Choice
from started_commands import hopscope

RING = Choice(Offered("allreduce", "ring", 4, "coll_tuned_allreduce_algorithm"), 8)
CHAIN = Choice(Offered("bcast", "chain", 2, "coll_tuned_bcast_algorithm"), 8, 1024)
MPICH_RING = Choice(Offered("allgather", "ring", None, "MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM"), 8)


def candidate_of(choice: Choice) -> Candidate:
    return Candidate(f"{choice.algorithm.operation}: {choice.algorithm.name}", "algorithm", choices=(choice,))


def test_open_mpi_s_algorithms_become_a_rules_file_that_the_options_name(tmp_path: Path) -> None:
    options, variables = written(with_choices(candidate_of(RING)), tmp_path / "with space")
    assert options[:3] == ["--mca", "coll_tuned_use_dynamic_rules", "1"]
    assert options[-1] == str(tmp_path / "with space" / RULES)
    assert "0 4 0 0  # ring" in Path(options[-1]).read_text()
    assert variables == {}
    assert started(["mpirun", "-n", "8", "./app"], options)[:2] == ["mpirun", "--mca"]


def test_mpich_s_algorithms_become_variables(tmp_path: Path) -> None:
    options, variables = written(with_choices(candidate_of(MPICH_RING)), tmp_path)
    assert (options, variables) == ([], {"MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM": "ring"})


def test_two_algorithms_of_different_operations_share_one_rules_file(tmp_path: Path) -> None:
    combination = combined(candidate_of(RING), candidate_of(CHAIN))
    assert combination is not None
    written(with_choices(combination), tmp_path)
    text = (tmp_path / RULES).read_text()
    assert "0 4 0 0  # ring" in text
    assert "1024 2 0 0  # chain" in text


def test_two_candidates_that_set_the_same_thing_exclude_each_other() -> None:
    rival = RING._replace(algorithm=RING.algorithm._replace(name="linear", number=1))
    assert combined(candidate_of(RING), candidate_of(rival)) is None
    upwards, small = (
        Candidate(name, "algorithm", choices=(RING._replace(from_bytes=low, to_bytes=high),))
        for name, low, high in (("upwards", 512, None), ("small", 0, 511))
    )
    assert combined(candidate_of(rival), upwards) is None  # the rule for all sizes also covers those from 512 on
    assert combined(small, upwards) is not None
    unbound, core = (Candidate(f"bind to {word}", "binding", options=("--bind-to", word)) for word in ("none", "core"))
    assert combined(unbound, core) is None
    assert combined(unbound, Candidate("yield", "binding", options=("--mca", "mpi_yield_when_idle", "1"))) is not None
    linear, binomial = (Candidate(word, "algorithm", besides=(("coll_han_module", word),)) for word in ("1", "2"))
    assert combined(linear, binomial) is None
    assert combined(linear, candidate_of(CHAIN)) is not None
    rules = '{"rules": [{"operations": ["MPI_Allreduce"]}]}'
    engine = Candidate("engine", "tree", files={TREE: rules}, tree=True)
    assert combined(engine, candidate_of(RING)) is None
    assert combined(engine, candidate_of(CHAIN)) is not None
    variable = Candidate("a", "binding", variables={"A": "1"})
    assert combined(variable, Candidate("b", "binding", variables={"A": "2"})) is None


def test_a_file_of_neither_a_sweep_nor_a_probe_is_refused_before_the_first_run(tmp_path: Path) -> None:
    file = tmp_path / "topology.json"
    file.write_text('{"schema_version": 1, "hosts": [{"name": "a", "cluster": "A"}]}')
    done = hopscope("tune", "--machine", file, "-o", tmp_path / "tuned", "--", "mpirun", "-n", "2", "./app")
    assert done.returncode == 2
    assert "not written by `hopscope sweep` or `hopscope probe`" in done.stderr


def test_a_candidate_survives_its_row_of_the_journal() -> None:
    combination = combined(
        candidate_of(RING), Candidate("order", "order", options=("--hostfile", "{folder}/h"), files={"h": "a\nb\n"})
    )
    assert combination is not None
    assert from_row(combination.row()) == combination


def test_candidates_without_a_prediction_alternate_with_gains_and_eager_segments_go_first() -> None:
    def proposed(name: str, gain: float | None, segment: int = 0) -> Candidate:
        choice = RING._replace(segment_bytes=segment)
        return Candidate(name, "algorithm", choices=(choice,), predicted_gain=gain)

    eager = Candidate("eager", "parameter")
    pool = [
        proposed("loses", -0.5),
        proposed("gains 10 %", 0.1),
        proposed("64 KiB", None, 65_536),
        Candidate("han", "algorithm"),
        proposed("whole", None),
        proposed("16 KiB", None, 16_384),
        eager,
        proposed("gains 20 %", 0.2),
    ]
    names = [candidate.name for candidate in screened(pool)]
    assert names == ["gains 20 %", "eager", "gains 10 %", "16 KiB", "han", "whole", "64 KiB", "loses"]
    assert len(screened(pool * 2)) == 12
