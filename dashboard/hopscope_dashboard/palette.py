"""One colour, one name and one order per category of time, link class, lane mark and cluster, used on every page.

Every colour has a contrast of at least 3:1 to both page backgrounds (WCAG 2.2, 1.4.11), and white text on it has a
contrast of at least 4.5:1 (1.4.3), so that one palette serves the light and the dark scheme. `contrast` is the formula,
and tests check the colours with it.
"""

from typing import Final

from hopscope.vocabulary import links, words

CATEGORY_MEANINGS: Final = words.ANSWERED_CATEGORIES
LINKS: Final = links.LINKS

CATEGORY_COLOURS: Final[dict[str, str]] = {
    "compute": "#3574bf",
    "local": "#7e61c4",
    "shm": "#29815c",
    "lan": "#976b0c",
    "wan": "#c94724",
    "native": "#687480",
    "p2p": "#bb4986",
    "mpi": "#876e5d",
    "unrecorded": "#717478",
    "rma": "#4f7d2b",
    "io": "#b05c34",
    "overhead": "#8a6d8f",
    "startup": "#5b7a83",
    "shutdown": "#83665b",
}

LINK_COLOURS: Final[dict[str, str]] = {
    "self": CATEGORY_COLOURS["local"],
    "shm": CATEGORY_COLOURS["shm"],
    "lan": CATEGORY_COLOURS["lan"],
    "wan": CATEGORY_COLOURS["wan"],
}

LINK_MEANINGS: Final[dict[str, str]] = {
    "self": "to itself",
    "shm": "same host",
    "lan": "same cluster",
    "wan": "between clusters",
}

#: Dash and gap of an edge in pixels, by its link class; empty for a line without gaps.
LINK_DASHES: Final[dict[str, tuple[int, ...]]] = {"self": (), "shm": (), "lan": (3, 4), "wan": (18, 8)}

#: Colours of edges in two compared trees: of edges in both, and of edges in only one tree, which are dashed too.
KEPT_COLOUR: Final = CATEGORY_COLOURS["native"]
CHANGED_COLOUR: Final = CATEGORY_COLOURS["wan"]
CHANGED_DASH: Final = (9, 5)

#: Colours of shares from none to the largest (mixed in OKLab). A larger share is darker on a light background, and
#: lighter on a dark one.
LIGHT_SHARES: Final = (
    "#929292", "#9f8779", "#ab7b5f", "#b46e42", "#bd5f17",
    "#ad4d22", "#9d3a28", "#8d252a", "#7d0a2b",
)  # fmt: skip
DARK_SHARES: Final = (
    "#74777d", "#8f796f", "#a87b5f", "#c17a4c", "#d9792f",
    "#e49343", "#eeae55", "#f7c868", "#ffe27a",
)  # fmt: skip

#: Colours of lateness from mild to severe, on a light and on a dark background, by the columns of `analyze noise`.
LATENESS_COLOURS: Final[dict[str, tuple[str, str]]] = {
    column: (LIGHT_SHARES[step], DARK_SHARES[step])
    for column, step in (("late_1ms", 1), ("late_5ms", 4), ("late_10ms", 6), ("late_30ms", 8))
}

#: Time that the run's timeline hatches and lists in its own row.
WAITING: Final = "waiting"
WAITING_MEANING: Final = "for a rank that was late: a part of the categories in MPI"

PATH_LINE_COLOUR: Final = "#f08c00"
UNDECIDED_COLOUR: Final = "#69747f"

#: Colours of the classes of lateness, the gravest first, by the column `class` of late-ranks.
LATENESS_CLASS_COLOURS: Final[dict[str, str]] = {
    "always": CATEGORY_COLOURS["wan"],
    "rotating": CATEGORY_COLOURS["p2p"],
    "sometimes": CATEGORY_COLOURS["lan"],
    "spikes": CATEGORY_COLOURS["compute"],
    "never": CATEGORY_COLOURS["native"],
    "no class": UNDECIDED_COLOUR,
}

LATENESS_CLASS_MEANINGS: Final[dict[str, str]] = {
    "always": "late in more than half of its collectives",
    "rotating": "the ranks take turns being late, this rank too",
    "sometimes": "late, but in no other class",
    "spikes": "late in less than a tenth of its collectives",
    "never": "late in none",
    "no class": "too few collectives for an interval",
}

#: A calm single-hue scale for heat maps, transparent at zero so that it suits both colour schemes.
HEAT_SCALE: Final = [
    [0.0, "rgba(217, 81, 44, 0.04)"],
    [0.15, "rgba(217, 81, 44, 0.25)"],
    [0.5, "rgba(217, 81, 44, 0.62)"],
    [1.0, "rgba(178, 40, 16, 1.0)"],
]

LIGHT_BACKGROUND: Final = "#ffffff"
DARK_BACKGROUND: Final = "#1e2125"

FONT: Final = "Inter, 'Segoe UI', 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif"
MONO_FONT: Final = "'JetBrains Mono', 'SF Mono', Consolas, 'DejaVu Sans Mono', monospace"


def luminance(colour: str) -> float:
    """Give the relative luminance of `#rrggbb`, 0 to 1 (WCAG 2.2, definition of relative luminance)."""
    channels = [int(colour[offset : offset + 2], 16) / 255 for offset in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(foreground: str, background: str) -> float:
    """Give the contrast ratio of two `#rrggbb` colours, 1 to 21 (WCAG 2.2, definition of contrast ratio)."""
    darker, lighter = sorted((luminance(foreground), luminance(background)))
    return (lighter + 0.05) / (darker + 0.05)
