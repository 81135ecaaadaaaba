"""No two test files have the same name: pytest imports them by their bare names, so one would shadow the other."""

from collections import Counter
from pathlib import Path

TESTS = Path(__file__).parents[1]


def test_no_two_test_modules_share_a_name() -> None:
    names = Counter(path.name for path in TESTS.rglob("*.py") if path.name not in {"conftest.py", "__init__.py"})
    assert [name for name, count in names.items() if count > 1] == []
