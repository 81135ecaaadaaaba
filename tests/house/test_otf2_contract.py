"""schemas/otf2.md, which is read, and schemas/otf2.h, which is compiled, say the same."""

import re
from itertools import accumulate
from pathlib import Path

from hopscope.vocabulary.words import ROLES

SCHEMAS = Path(__file__).parents[2] / "schemas"
PAGE = (SCHEMAS / "otf2.md").read_text()
HEADER = (SCHEMAS / "otf2.h").read_text()


def words() -> dict[str, str]:
    """Every word of the header by its macro's name."""
    found = dict(re.findall(r'#define (ARCHIVE_\w+) "(.*)"', HEADER))
    attributes = re.findall(r"X\([A-Z]+, ([a-z]+), [A-Z0-9]+, ", HEADER)
    return found | {f"attribute {word}": f"hopscope::{word}" for word in attributes}


def test_every_word_of_the_header_is_explained_on_the_page() -> None:
    found = words()
    assert len(found) > 25
    quoted = re.findall(r'[`"]([^`"]+)[`"]', PAGE)
    assert [word for word in found.values() if not any(word in text for text in quoted)] == []


def test_the_page_names_no_property_and_no_attribute_that_the_header_lacks() -> None:
    named = set(re.findall(r"HOPSCOPE::\w+|hopscope::\w+", PAGE))
    assert len(named) >= 15
    assert named <= set(words().values())


def test_the_page_has_the_tag_as_the_header_packs_it() -> None:
    parts = re.findall(r"HOP_([A-Z]+)_BITS = (\d+)", HEADER)
    first = [0, *accumulate(int(bits) for _, bits in parts)]
    assert first[-1] == 32
    roles = ", ".join(f"{code} {word}" for code, word in enumerate(ROLES))
    said = [
        f"bits {at}-{at + int(bits) - 1} {name.lower()} ({roles if name == 'ROLE' else f'low {bits} bits'})"
        for (name, bits), at in zip(parts, first, strict=False)
    ]
    assert f"Tag: {', '.join(said)}." in PAGE
