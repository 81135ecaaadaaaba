"""The call tree of regions that are drawn by hand."""

import numpy as np
from hopscope.dataset.call_tree import CallTree, Visits

NAMES = ["main", "step", "spend"]
# Thread 7: main 0-100 calls step 10-40 and 50-90; the first step calls spend 20-30. Between depths 1 and 3 of the
# second step is a call of MPI, in which spend 60-70 is a callback. Thread 8: step 0-50 without main.
ROWS = [
    (7, 0, 0, 100, 0),
    (7, 1, 10, 40, 1),
    (7, 2, 20, 30, 2),
    (7, 1, 50, 90, 1),
    (7, 3, 60, 70, 2),
    (8, 0, 0, 50, 1),
]


def tree() -> CallTree:
    return CallTree(Visits(*(np.asarray(column, np.int64) for column in zip(*ROWS, strict=True)), NAMES))


def test_each_visit_has_the_visit_around_it_as_parent() -> None:
    assert tree().parent.tolist() == [-1, 0, 1, 0, 3, -1]


def test_a_path_names_the_functions_from_the_outermost_on() -> None:
    drawn = tree()
    paths = [" > ".join(drawn.functions(path)) for path in drawn.path.tolist()]
    assert paths == ["main", "main > step", "main > step > spend", "main > step", "main > step > spend", "step"]


def test_a_time_has_the_path_of_the_innermost_visit() -> None:
    drawn = tree()
    times = [5, 25, 35, 45, 65, 95, 200]
    paths = drawn.path_at(np.full(len(times), 7), np.asarray(times)).tolist()
    assert [drawn.functions(path)[-1:] for path in paths] == [
        ("main",), ("spend",), ("step",), ("main",), ("spend",), ("main",), ()
    ]  # fmt: skip


def test_a_run_without_regions_has_no_paths() -> None:
    drawn = CallTree(Visits(*(np.zeros(0, np.int64) for _ in range(5)), []))
    assert drawn.path_at(np.asarray([7]), np.asarray([5])).tolist() == [-1]
