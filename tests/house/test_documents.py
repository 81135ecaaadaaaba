"""The documents: links and anchors lead somewhere, the index has every page, shown commands and their options exist,
and the picture of one hop shows the trace's data."""

import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import click
import document_commands
import hopscope as library
import pytest
from hopscope.cli.analyze import SHORTHAND
from hopscope.cli.main import hopscope

ROOT = Path(__file__).parents[2]
FILE_LIST = subprocess.run(["git", "ls-files", "*.md", "*.ipynb"], cwd=ROOT, capture_output=True, text=True, check=True)
PAGES = [ROOT / name for name in FILE_LIST.stdout.split() if (ROOT / name).is_file()]
COMMANDS = document_commands.commands(hopscope, "hopscope")
FENCED = re.compile(r"^ *```\w*\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings: words in lower case, joined by hyphens."""
    anchors: set[str] = set()
    for heading in re.findall(r"^#+ (.+)$", FENCED.sub("", text), re.MULTILINE):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        anchor = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        number = sum(
            previous == anchor or re.fullmatch(rf"{re.escape(anchor)}-\d+", previous) is not None
            for previous in anchors
        )
        anchors.add(f"{anchor}-{number}" if number else anchor)
    return anchors


def broken_links(page: Path) -> Iterator[str]:
    for link in re.findall(r"\]\(([^)\s]+)\)", FENCED.sub("", page.read_text())):
        if re.match(r"https?:", link):
            continue
        target, _, anchor = link.partition("#")
        file = page.parent / target if target else page
        if not file.exists():
            yield f"{name(page)}: {link}: no such file"
        elif anchor and anchor not in anchors(file.read_text()):
            yield f"{name(page)}: {link}: no such heading"


def shown_commands(text: str) -> Iterator[list[str]]:
    """The words of each `hopscope` and `analyze` command in a page's blocks."""
    for block in FENCED.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            if re.match(r"\s*(hopscope|analyze) ", line):
                words = shlex.split(line, comments=True)
                yield ["hopscope", *words] if words[0] == "analyze" else words


def unknown_words(words: list[str]) -> list[str]:
    """The unknown words of a command line: the command, or its options."""
    if words[1] == "analyze" and words[2].startswith("hopscope-app"):
        words = [*words[:2], SHORTHAND, *words[2:]]
    command = COMMANDS.get(" ".join(words[: 3 if words[1] in ("analyze", "net") else 2]))
    if command is None or isinstance(command, click.Group):
        return words[:3]
    own_words = words[: words.index("--")] if "--" in words else words
    options = {option for parameter in command.params for option in parameter.opts} | {"-h", "--help"}
    return [word for word in own_words if re.match(r"--?[a-z]", word) and word.partition("=")[0] not in options]


def test_anchors_are_made_as_github_makes_them() -> None:
    page = "# One, two\n## `three` (4)\n```\n# no heading\n```\n## A [link](x.md)\n# One, two\n"
    assert anchors(page) == {"one-two", "three-4", "a-link", "one-two-1"}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_to_files_and_headings(page: Path) -> None:
    assert list(broken_links(page)) == []


def test_the_index_has_every_page() -> None:
    docs = ROOT / "docs"
    linked = {(docs / link).resolve() for link in re.findall(r"\]\(([^)#]+)", (docs / "README.md").read_text())}
    pages = {page for page in PAGES if docs in page.parents and page != docs / "README.md"}
    assert {name(page) for page in pages - linked} == set()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_the_commands_that_are_shown_exist(page: Path) -> None:
    assert [unknown for words in shown_commands(page.read_text()) if (unknown := unknown_words(words))] == []


def test_most_pages_show_commands() -> None:
    assert sum(bool(list(shown_commands(page.read_text()))) for page in PAGES) > 7
    assert unknown_words(["hopscope", "analyze", "noise", "t", "--bye", "rank"]) == ["--bye"]
    assert unknown_words(["hopscope", "ruin", "t"]) == ["hopscope", "ruin", "t"]


def test_the_picture_of_one_hop_names_what_is_there_and_shows_its_times(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "images" / "one-hop.svg").read_text()
    rooms = re.findall(r">((?:collector|analysis|dashboard)/[\w/]+)<", text)
    assert len(rooms) == 8
    assert [room for room in rooms if not (ROOT / room).is_dir()] == []
    trace = library.open(ROOT / "sample_traces" / "demo" / "trace", dataset=tmp_path / "dataset")
    (hop,) = trace.sql("select * from hops where hop_id = 510").to_pylist()
    (first,) = trace.sql("select first_enter_ns from collectives where comm = 0 and seq = 36").to_pylist()
    columns = ("send_begin_ns", "send_end_ns", "recv_post_ns", "recv_wait_begin_ns", "recv_end_ns", "role", "binding")
    times = [f"{(hop[column] - first['first_enter_ns']) / 1e6:.2f}" for column in ("send_begin_ns", "recv_end_ns")]
    assert [word for word in [*(str(hop[name]) for name in columns), *times] if word not in text] == []
