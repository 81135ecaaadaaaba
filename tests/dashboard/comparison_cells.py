"""The cells that a page shows for a comparison."""

from typing import Any

from hopscope.format import quantities


def numbers(row: dict[str, Any]) -> list[str]:
    """The cells of a row of a comparison."""

    def time(run: str) -> str:
        text, low, high = quantities.duration(row[f"{run}_ns"]), row.get(f"{run}_low_ns"), row.get(f"{run}_high_ns")
        return text if low is None or not row[f"{run}_ns"] else f"{text} {quantities.interval(low, high, 'ns')}"

    return [
        time("base"),
        time("new"),
        *([quantities.share(row["base_share"]), quantities.share(row["new_share"])] if "base_share" in row else []),
        quantities.changes(row["difference_ns"], row["change"]),
        quantities.interval(row["change_low"], row["change_high"]),
        row["verdict"],
    ]
