"""Which collectives of two runs are the same: by operation, call site and communicator."""

from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa

Site = tuple[str, int, str]
"""Operation, communicator and call site."""


@dataclass(frozen=True)
class Pair:
    """The same place in two runs; None where one run has it not."""

    base: Site | None
    new: Site | None
    by: str

    @property
    def shown(self) -> Site:
        """The new run's site, or the base's if it is gone."""
        site = self.new or self.base
        assert site is not None
        return site


def sites(rows: pa.Table) -> list[Site]:
    """Operation, communicator and call site of each row."""
    columns = (rows[name].to_pylist() for name in ("op", "comm", "call_site"))
    return list(zip(*columns, strict=True))


def align(base: Iterable[Site], new: Iterable[Site]) -> list[Pair]:
    """Pairs of sites, in the order of first use in the new run, those that are gone last.

    A call site is an address of a build, so another build has others. What is left over of an operation on a
    communicator is paired in the order of first use, if both runs have as many of it.
    """
    before, after = list(dict.fromkeys(base)), list(dict.fromkeys(new))
    left = {group: [s for s in before if s[:2] == group and s not in after] for group in {s[:2] for s in before}}
    found: dict[Site, Pair] = {site: Pair(site, site, "call site") for site in after if site in before}
    for group, gone in left.items():
        come = [site for site in after if site[:2] == group and site not in before]
        if len(come) == len(gone):
            found |= {site: Pair(old, site, "order") for old, site in zip(gone, come, strict=True)}
    paired = {pair.base for pair in found.values()}
    pairs = [found.get(site, Pair(None, site, "call site")) for site in after]
    return [*pairs, *(Pair(site, None, "call site") for site in before if site not in paired)]
