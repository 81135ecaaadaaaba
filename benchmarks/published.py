"""Comparisons of published cases with ours: ratios and counts. Times are never compared."""

from pathlib import Path

import hopscope

Row = tuple[str, ...]

COLUMNS = ("published case", "published", "here", "here / published")


def heading(text: str) -> Row:
    """A heading row: the machine on which the cases of the next rows ran."""
    return (text, "", "", "")


def ratio(case: str, published: float | None, measured: float, words: str = "") -> Row:
    """A row with a measured ratio and the published one, if there is one. words: the published statement."""
    if published is None:
        return (f"  {case}", words or "-", f"{measured:.2f}x", "-")
    return (f"  {case}", f"{words} {published:g}x".lstrip(), f"{measured:.2f}x", f"{measured / published:.2f}")


def crossings(case: str, published: tuple[int, int], trace: Path, link: str, *, fewer_ranks: bool = False) -> Row:
    """A row with the numbers of messages over links of a class in an Allreduce's reduce and broadcast, published and in
    a run over a tree. fewer_ranks: the run had fewer ranks than published, so the numbers are not compared.
    """
    counts = hopscope.open(trace).sql(
        f"select role, count(*) / (select count(*) from collectives) as n from hops where link = '{link}' group by role"
    )
    by_role = {row["role"]: row["n"] for row in counts.to_pylist()}
    measured = (by_role.get("up", 0), by_role.get("down", 0))
    compared = "-" if fewer_ranks else f"{sum(measured) / sum(published):.2f}"
    return (f"  {case}", "{} + {}".format(*published), "{:g} + {:g}".format(*measured), compared)
