"""Distinct numbers and their order are those of numpy, whether the numbers are counted or sorted."""

import numpy as np
import pytest
from hopscope.dataset.path_columns import distinct, stable_order


@pytest.mark.parametrize("last", [0, 3, 70_000, 1 << 21, 1 << 40])
@pytest.mark.parametrize("first", [0, -5])
def test_distinct_numbers_and_their_order_are_those_of_numpy(first: int, last: int) -> None:
    numbers = np.random.default_rng(last).integers(first, last + 1, 5000)
    expected = np.unique(numbers, return_inverse=True)
    assert [part.tolist() for part in distinct(numbers)] == [part.tolist() for part in expected]
    assert stable_order(numbers).tolist() == np.argsort(numbers, kind="stable").tolist()


def test_of_no_numbers_there_are_none() -> None:
    nothing = np.zeros(0, np.int64)
    assert [len(part) for part in distinct(nothing)] == [0, 0]
    assert not len(stable_order(nothing))
