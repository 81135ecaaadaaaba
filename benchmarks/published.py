"""What published cases and ours have in common: ratios and counts. Times are never compared."""

from pathlib import Path

import hopscope

Row = tuple[str, ...]

COLUMNS = ("published case", "published", "here", "here / published")


def heading(text: str) -> Row:
    """A row that says what the next ones ran on."""
    return (text, "", "", "")


def ratio(case: str, published: float | None, here: float, about: str = "") -> Row:
    """A ratio beside the published one, if there is one; about: what was published in words."""
    if published is None:
        return (f"  {case}", about or "-", f"{here:.2f}x", "-")
    return (f"  {case}", f"{about} {published:g}x".lstrip(), f"{here:.2f}x", f"{here / published:.2f}")


def crossings(case: str, published: tuple[int, int], trace: Path, link: str, *, fewer_ranks: bool = False) -> Row:
    """How many messages of an Allreduce's reduce and broadcast pass links of a class, in a run over a tree. With fewer
    ranks than were published the counts differ.
    """
    counted = hopscope.open(trace).sql(
        f"select role, count(*) / (select count(*) from collectives) as n from hops where link = '{link}' group by role"
    )
    by_role = {row["role"]: row["n"] for row in counted.to_pylist()}
    here = (by_role.get("up", 0), by_role.get("down", 0))
    compared = "-" if fewer_ranks else f"{sum(here) / sum(published):.2f}"
    return (f"  {case}", "{} + {}".format(*published), "{:g} + {:g}".format(*here), compared)
