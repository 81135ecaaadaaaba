"""Parts of the page Places that scroll into view, without a browser."""

import hopscope
import pytest
from drawn_page import DrawnPage, components, draw, text
from sample_copy import open_copy


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> hopscope.Trace:
    return open_copy("demo/trace", tmp_path_factory.mktemp("demo"))


def brought_into_view(page: DrawnPage) -> list[dict[str, str] | None]:
    """Parts that assets/reveal.js has to scroll into view."""
    parts = components(page.component)
    return [part.data for part in parts if isinstance(getattr(part, "id", None), dict) and part.id["type"] == "reveal"]


def test_a_place_that_was_clicked_comes_into_view_and_the_one_that_the_page_begins_with_does_not(
    demo: hopscope.Trace,
) -> None:
    # Regression: the part was below the window, so the click seemed to have no effect.
    second = demo.places().to_pylist()[1]["place"]
    page = draw(demo, "/places")
    assert brought_into_view(page) == [None]
    page = page.follow(second, "places-table")
    chosen_part = page.part("places-chosen")
    assert brought_into_view(page) == [{"id": "places-chosen", "of": second}]
    # The part names its call site, so that an earlier part that is still there is not taken for it.
    assert getattr(chosen_part, "data-of") == second
    (heading,) = [part for part in components(chosen_part) if type(part).__name__ == "H2"]
    assert text(heading) == second
