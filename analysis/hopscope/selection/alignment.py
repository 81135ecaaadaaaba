"""Matches the places of two runs: by function and source line, by function alone, or by the order of first use."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa


class Site(NamedTuple):
    """Operation, communicator and place, with the place's function if that is known."""

    op: str
    comm: int
    place: str
    function: str | None = None


@dataclass(frozen=True)
class Pair:
    """One place in two runs; None where a run lacks it."""

    base: Site | None
    new: Site | None
    method: str

    @property
    def site(self) -> Site:
        """The new run's site, or the base's if it is gone."""
        site = self.new or self.base
        assert site is not None
        return site

    @property
    def base_place(self) -> str | None:
        """The base's place; None if only the new run has it."""
        return None if self.base is None else self.base.place


def sites(rows: pa.Table) -> list[Site]:
    """Operation, communicator, place and function of each row."""
    columns = (rows[name].to_pylist() for name in Site._fields)
    return [Site(*values) for values in zip(*columns, strict=True)]


def align(base: Iterable[Site], new: Iterable[Site], *, in_order: bool = True) -> list[Pair]:
    """Pairs of sites, in the order of first use in the new run; sites that only the base has come last.

    Sites with equal texts (`place`) are a pair. But lines shift from build to build. If a function calls an operation
    from equally many places in both runs, but the places differ, an equal text may be another call. So texts do not
    count in such a function.

    The remaining sites are paired by `function` if both runs call the operation from only one place in the function.
    The rest is paired by the `order` of first use (unless `in_order` is false, because the sites have no order). For
    that, both runs must have equally many unpaired sites of the operation and communicator, and no pair may have two
    known functions that differ.
    """
    base_sites, new_sites = list(dict.fromkeys(base)), list(dict.fromkeys(new))
    shifted = _shifted(base_sites, new_sites)
    pairs_by_site = {
        site: Pair(site, site, "place")
        for site in new_sites
        if site in base_sites and _function_of(site) not in shifted
    }
    for method, group in (("function", _function_of), ("order", _call_of)):
        if method == "function" or in_order:
            pairs_by_site |= _paired(base_sites, new_sites, pairs_by_site, method, group)
    paired = {pair.base for pair in pairs_by_site.values()}
    pairs = [pairs_by_site.get(site, Pair(None, site, "place")) for site in new_sites]
    return [*pairs, *(Pair(site, None, "place") for site in base_sites if site not in paired)]


def match_notes(answer: pa.Table) -> tuple[str, ...]:
    """Notes on the pairs in an answer, in sentences."""
    place = "place" if "place" in answer.column_names else "name"
    names = (f"base_{place}", place, "aligned")
    rows = list(zip(*(answer[name].to_pylist() for name in names), strict=True))
    notes: list[str] = []
    for method, description in (("function", "their function"), ("order", "the order of their first use")):
        pairs = list(dict.fromkeys((old, new) for old, new, aligned in rows if aligned == method))
        if pairs:
            words = [f"{new} with {old} of the base" for old, new in pairs[:_PAIR_LIMIT]]
            remainder = f" and {len(pairs) - _PAIR_LIMIT} more" if len(pairs) > _PAIR_LIMIT else ""
            notes.append(
                f"places that differ between the two runs were matched by {description}: {'; '.join(words)}{remainder}"
            )
    return tuple(notes)


_PAIR_LIMIT = 3
"""The largest number of pairs named in a sentence."""

_Group = tuple[str, ...] | tuple[str, int] | tuple[str, int, str]


def _function_of(site: Site) -> _Group | None:
    return None if site.function is None else (site.op, site.comm, site.function)


def _call_of(site: Site) -> _Group:
    return site.op, site.comm


def _grouped(all_sites: Sequence[Site], group: Callable[[Site], _Group | None]) -> dict[_Group, list[Site]]:
    groups: dict[_Group, list[Site]] = {}
    for site in all_sites:
        key = group(site)
        if key is not None:
            groups.setdefault(key, []).append(site)
    return groups


def _shifted(base_sites: Sequence[Site], new_sites: Sequence[Site]) -> set[_Group | None]:
    """Functions that call an operation from the same number of places in both runs, at least two, but not from the same
    places."""
    old, new = _grouped(base_sites, _function_of), _grouped(new_sites, _function_of)
    return {
        key for key in old.keys() & new.keys() if len(old[key]) == len(new[key]) > 1 and set(old[key]) != set(new[key])
    }


def _paired(
    base_sites: Sequence[Site],
    new_sites: Sequence[Site],
    pairs_by_site: Mapping[Site, Pair],
    method: str,
    group: Callable[[Site], _Group | None],
) -> dict[Site, Pair]:
    """Further pairs, found by one method."""
    paired = {pair.base for pair in pairs_by_site.values()}
    old, new = _grouped(base_sites, group), _grouped(new_sites, group)
    additions: dict[Site, Pair] = {}
    for key in old.keys() & new.keys():
        if method == "function" and not len(old[key]) == len(new[key]) == 1:
            continue
        base_unpaired = [site for site in old[key] if site not in paired]
        new_unpaired = [site for site in new[key] if site not in pairs_by_site]
        pairs = list(zip(base_unpaired, new_unpaired, strict=False))
        if len(base_unpaired) == len(new_unpaired) and not any(
            _differ(base_site, new_site) for base_site, new_site in pairs
        ):
            additions |= {site: Pair(base_site, site, method) for base_site, site in pairs}
    return additions


def _differ(first: Site, second: Site) -> bool:
    """Tell if two places are known to be in different functions."""
    return None not in (first.function, second.function) and first.function != second.function
