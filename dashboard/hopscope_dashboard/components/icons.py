"""Line icons of 24 x 24, drawn here so that no icon font or icon service is needed.

They take the colour of the text around them.
"""

from typing import Final
from urllib.parse import quote

from dash import html

from hopscope_dashboard.components import aria

_SHAPES: Final[dict[str, str]] = {
    "overview": "<rect x='4' y='4' width='7' height='9' rx='1.5'/><rect x='13' y='4' width='7' height='5' rx='1.5'/>"
    "<rect x='13' y='11' width='7' height='9' rx='1.5'/><rect x='4' y='15' width='7' height='5' rx='1.5'/>",
    "timeline": "<path d='M4 6h7M9 12h8M14 18h6M11 6l-2 6M17 12l-3 6'/>",
    "messages": "<rect x='3.500' y='6' width='17' height='12.500' rx='1.500'/><path d='M4 7.500l8 6 8-6'/>",
    "late": "<path d='M4 6h9M4 12h15M4 18h6'/><path d='M17 9l3 3-3 3'/>",
    "remap": "<path d='M5 8h10a4 4 0 0 1 0 8H8M5 8l3-3M5 8l3 3M8 16l2.500-2.500M8 16l2.500 2.500'/>",
    "models": "<path d='M4 4v16h16M7 16c5-.500 8-4 12-11'/><circle cx='9' cy='12' r='1.200'/>"
    "<circle cx='14' cy='13' r='1.200'/>",
    "compare": "<path d='M4 6.500h13M4 10.500h8M4 15h9M4 19h16'/>",
    "data": "<ellipse cx='12' cy='6' rx='7' ry='2.500'/><path d='M5 6v12c0 1.400 3.100 2.500 7 2.500s7-1.100 7-2.500V6"
    "M5 12c0 1.400 3.100 2.500 7 2.500s7-1.100 7-2.500'/>",
    "place": "<path d='M12 21c4-4.500 6-7.700 6-10.500a6 6 0 1 0-12 0C6 13.300 8 16.500 12 21z'/>"
    "<circle cx='12' cy='10.500' r='2.200'/>",
    "sun": "<circle cx='12' cy='12' r='4'/><path d='M12 3v2M12 19v2M3 12h2M19 12h2M5.600 5.600l1.400 "
    "1.400M17 17l1.400 1.400M5.600 18.400L7 17M17 7l1.400-1.400'/>",
    "moon": "<path d='M20 14.500A8 8 0 0 1 9.500 4a8 8 0 1 0 10.500 10.500z'/>",
    "download": "<path d='M12 4v11M7.500 11l4.500 4.500L16.500 11M5 20h14'/>",
    "info": "<circle cx='12' cy='12' r='8.500'/><path d='M12 11v5.500M12 7.500v.2'/>",
    "left": "<path d='M14.500 6l-6 6 6 6'/>",
    "right": "<path d='M9.500 6l6 6-6 6'/>",
}


def icon(name: str, size: int = 18) -> html.Span:
    """Give an icon, `size` pixels wide. It says nothing to a screen reader: the words beside it do."""
    drawing = (
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24' fill='none' stroke='black' "
        f"stroke-width='1.8' stroke-linecap='round' stroke-linejoin='round'>{_SHAPES[name]}</svg>"
    )
    # As a mask, the shape has the current text colour in both colour schemes.
    mask = f'url("data:image/svg+xml,{quote(drawing)}")'
    return html.Span(
        className="icon",
        style={"width": size, "height": size, "maskImage": mask, "WebkitMaskImage": mask},
        **aria.HIDDEN,
    )
