"""The frame around every page, as far as pages know it: the ids of its parts, its title, and the entries of its
menu."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final, Protocol

ADDRESS: Final = "address"
CONTENT: Final = "content"
MENU: Final = "menu"
TITLE: Final = "page-title"
PROBLEM: Final = "problem"
MENU_SWITCH: Final = "menu-switch"
FRAME: Final = "frame"
TRACE: Final = "trace-chooser"
SCHEME: Final = "colour-scheme"


class MenuPage(Protocol):
    """A page as the menu sees it."""

    @property
    def path(self) -> str:
        """Address."""
        ...

    @property
    def title(self) -> str:
        """Name."""
        ...

    @property
    def menu_path(self) -> str:
        """Address of the page in the menu that this page belongs to."""
        ...


@dataclass(frozen=True)
class Section:
    """A section as the menu shows it. icon: name of an icon. is_open: whether its pages are listed."""

    title: str
    icon: str
    pages: Sequence[MenuPage]
    is_open: bool

    @property
    def path(self) -> str:
        """Address of its first page."""
        return self.pages[0].path


_title_numbers: Final = count()


def title(text: str) -> str:
    """Give a page's title in the form that the browser gets: the title in the first line, a new number in the second.

    If a callback changes only the content of a page, Dash checks every component once for each component. With
    thousands of components this takes a minute. Changing the title too avoids it.
    """
    return f"{text}\n{next(_title_numbers)}"
