"""schemas/otf2.md, which people read, and schemas/otf2.h, which is compiled, agree."""

import re
from itertools import accumulate
from pathlib import Path

from hopscope.vocabulary.words import ROLES

SCHEMAS = Path(__file__).parents[2] / "schemas"
PAGE = (SCHEMAS / "otf2.md").read_text()
HEADER = (SCHEMAS / "otf2.h").read_text()


def words() -> dict[str, str]:
    """Every word of the header, by its macro's name."""
    constants = dict(re.findall(r'#define (ARCHIVE_\w+) "(.*)"', HEADER))
    attributes = re.findall(r"X\([A-Z]+, ([a-z]+), [A-Z0-9]+, ", HEADER)
    return constants | {f"attribute {word}": f"hopscope::{word}" for word in attributes}


def test_every_word_of_the_header_is_explained_on_the_page() -> None:
    header_words = words()
    assert len(header_words) > 25
    quoted = re.findall(r'[`"]([^`"]+)[`"]', PAGE)
    assert [word for word in header_words.values() if not any(word in text for text in quoted)] == []


def test_the_page_names_no_property_and_no_attribute_that_the_header_lacks() -> None:
    page_words = set(re.findall(r"HOPSCOPE::\w+|hopscope::\w+", PAGE))
    assert len(page_words) >= 15
    assert page_words <= set(words().values())


def test_the_page_has_the_tag_as_the_header_packs_it() -> None:
    parts = re.findall(r"HOP_([A-Z]+)_BITS = (\d+)", HEADER)
    first = [0, *accumulate(int(bits) for _, bits in parts)]
    assert first[-1] == 32
    roles = ", ".join(f"{code} {word}" for code, word in enumerate(ROLES))
    fields = [
        f"bits {bit}-{bit + int(bits) - 1} {name.lower()} ({roles if name == 'ROLE' else f'low {bits} bits'})"
        for (name, bits), bit in zip(parts, first, strict=False)
    ]
    assert f"Tag: {', '.join(fields)}." in PAGE
