"""A list of violations of rules, of which few of a kind are kept."""

from collections import Counter

_MOST_OF_A_RULE = 3


class Violations:
    """The violations of an archive. Of each rule, the first ones are kept and the others counted."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._counts: Counter[str] = Counter()

    def add(self, rule: str, place: object) -> None:
        """Note that the rule is broken at this place."""
        self._counts[rule] += 1
        if self._counts[rule] <= _MOST_OF_A_RULE:
            self._texts.append(f"{rule}: {place}")

    def require(self, holds: bool, rule: str, place: object) -> None:
        """Note a violation unless the rule is kept."""
        if not holds:
            self.add(rule, place)

    def texts(self) -> list[str]:
        """A line for each violation that was kept, and one for each rule with more."""
        remainders = [
            f"{rule}: {count - _MOST_OF_A_RULE} more" for rule, count in self._counts.items() if count > _MOST_OF_A_RULE
        ]
        return self._texts + remainders
