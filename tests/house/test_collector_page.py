"""docs/collector.md has exactly the variables that are read and the reasons that are given."""

import re
import subprocess
from pathlib import Path

import document_functions
import local_mpi

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "collector.md").read_text()
SOURCES = {path: path.read_text() for path in (ROOT / "collector" / "src").rglob("*.[ch]")}


def known_variables() -> set[str]:
    """The collector's list of all variables."""
    text = SOURCES[ROOT / "collector/src/config/variables.h"]
    macro = re.search(r"#define HOPSCOPE_VARIABLES\(X\)((?:.*\\\n)+.*)", text)
    assert macro, "variables.h has its list elsewhere now"
    return {f"HOPSCOPE_{name}" for name in re.findall(r"X\((\w+)\)", macro[1])}


def read_variables() -> set[str]:
    """The variables that are read: by the library in C, and by the commands in Python, which also set some."""
    read = {f"HOPSCOPE_{name}" for text in SOURCES.values() for name in re.findall(r"\(VARIABLE_([A-Z_]+)", text)}
    for path in (ROOT / "analysis" / "hopscope").rglob("*.py"):
        read |= set(re.findall(r'"(HOPSCOPE_[A-Z_]+)"', path.read_text()))
    return read


def given_reasons() -> set[str]:
    """The reasons for native calls, from the sources."""
    texts = re.search(
        r"reason_texts\[REASONS\] = \{(.*?)\}", SOURCES[ROOT / "collector/src/engine/engine.c"], re.DOTALL
    )
    assert texts, "engine.c has its reasons elsewhere now"
    reasons = set(re.findall(r'"([^"]+)"', texts[1]))
    for text in SOURCES.values():
        reasons |= set(re.findall(r'record_define_reason\("([^"]+)"\)', text))
        reasons |= set(re.findall(r'\.(?:set_up|not_looked_at) = "([^"]+)"', text))
    reasons |= set(
        re.findall(r'struct reason \w+ = \{\s*"([^"]+)"', SOURCES[ROOT / "collector/src/native/shared/outcome.c"])
    )
    silent = re.search(r'#define ARCHIVE_SILENT "(.+)"', (ROOT / "schemas" / "otf2.h").read_text())
    assert silent, "otf2.h has this reason elsewhere now"
    return reasons | {silent[1]}


def rows(heading: str) -> set[str]:
    """The words in backquotes at the beginning of the rows below a heading."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return set(re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE))


def test_every_variable_is_in_the_table_and_every_one_there_is_read() -> None:
    assert "HOPSCOPE_DIR" in known_variables()
    assert rows("Environment variables") == known_variables() == read_variables()
    by_their_names = {path.name for path, text in SOURCES.items() if re.search(r'getenv\("HOPSCOPE_', text)}
    assert by_their_names == set()


def test_every_reason_for_going_native_is_in_the_table_and_every_one_there_is_given() -> None:
    reasons = given_reasons()
    assert "operation does not commute" in reasons
    assert rows("What goes native, and why") == reasons | {"tree <name> is for <n> ranks"}
    assert '"tree %s is for %d ranks"' in SOURCES[ROOT / "collector/src/engine/engine.c"]


def test_the_pages_that_it_leads_to_are_there() -> None:
    leads = re.findall(r"\]\(([\w./-]+\.md)\)", PAGE)
    assert len(leads) > 4
    assert [lead for lead in leads if not (ROOT / "docs" / lead).resolve().is_file()] == []


def declared_functions(mpi: local_mpi.LocalMpi) -> set[str]:
    """The functions that the library's header declares."""
    words = [mpi.compiler, "-E", "-P", "-x", "c", "-"]
    header = subprocess.run(words, input="#include <mpi.h>\n", capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"\b(MPI_[A-Z][A-Za-z]\w*|MPI_T_\w+)\s*\((?!\s*[*Q])", header))


def test_the_table_has_every_function_of_every_mpi_library_here() -> None:
    functions = set[str]().union(*map(declared_functions, local_mpi.find_all()))
    assert {"MPI_Send", "MPI_Type_commit"} < functions
    assert [name for name in sorted(functions) if not document_functions.is_known(name)] == []
    listed = {*document_functions.MAY_WAIT, *document_functions.LOCAL}
    families = {family.removesuffix("...") for family in listed}
    assert [family for family in families if not any(name.startswith(family) for name in functions)] == []
