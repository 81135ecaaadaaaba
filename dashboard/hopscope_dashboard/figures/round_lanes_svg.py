"""A placed exchange between peers as SVG."""

from html import escape
from typing import Final

from hopscope_dashboard.figures.round_lanes import PlacedArrow, PlacedColumn, PlacedRounds, neighbours
from hopscope_dashboard.figures.svg_parts import arrow, link_rules, part, svg, ways
from hopscope_dashboard.figures.topology_tree import shown_name
from hopscope_dashboard.navigation import leads

_STYLE: Final = " ".join(link_rules())


def round_lanes_svg(placed: PlacedRounds, least_scale: float) -> str:
    """Give the drawing, `least_scale` as in `svg_parts.svg`."""
    keys = neighbours(placed.arrows)
    right = placed.columns[-1].right
    return svg(
        placed.bounds,
        least_scale,
        _STYLE,
        [
            *(
                _cluster(*cluster, right, placed.pitch, shaded=bool(position % 2))
                for position, cluster in enumerate(placed.clusters)
            ),
            *(_lane(label, y, right) for label, y in placed.lanes),
            *(_column(column, placed) for column in placed.columns),
            *(
                _arrow(placed_arrow, ways(**keys[placed_arrow.name]), first=not position)
                for position, placed_arrow in enumerate(placed.arrows)
            ),
        ],
    )


def _cluster(name: str, top: float, bottom: float, right: float, pitch: float, *, shaded: bool) -> str:
    band = (
        f'<rect class="band" x="0" y="{top - pitch / 2:.1f}" width="{right + 8:.1f}" '
        f'height="{bottom - top + pitch:.1f}"/>'
    )
    text = f'<text x="{right + 16:.1f}" y="{(top + bottom) / 2 + 5:.1f}">{escape(shown_name(name))}</text>'
    return f'<g class="lane-cluster"><title>{escape(name)}</title>{band if shaded else ""}{text}</g>'


def _lane(label: str, y: float, right: float) -> str:
    text = f'<text x="-8" y="{y + 4.5:.1f}">{escape(label)}</text>' if label else ""
    return f'<g class="lane"><path d="M0 {y:.1f}L{right + 8:.1f} {y:.1f}"/>{text}</g>'


def _column(column: PlacedColumn, placed: PlacedRounds) -> str:
    top, bottom = placed.lanes[0][1] - placed.pitch / 2, placed.lanes[-1][1] + placed.pitch / 2
    ends = "".join(f'<path d="M{x:.1f} {top:.1f}L{x:.1f} {bottom:.1f}"/>' for x in (column.left, column.right))
    middle = (column.left + column.right) / 2
    return f'<g class="round">{ends}<text x="{middle:.1f}" y="{top - 10:.1f}">{escape(column.title)}</text></g>'


def _arrow(placed_arrow: PlacedArrow, keys: str, *, first: bool) -> str:
    shape = arrow(placed_arrow.begin, placed_arrow.end, placed_arrow.width, 0)
    lead = (leads.edge(placed_arrow.src, placed_arrow.dst), leads.EDGE_DOES)
    return part(
        placed_arrow.name,
        ("edge", placed_arrow.link, placed_arrow.look),
        keys,
        placed_arrow.description,
        shape,
        first=first,
        lead=lead,
    )
