"""Call sites of real programs: the source lines of the calls, or the remaining information if some is missing."""

import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hopscope.callsites import Place, resolve

SOURCE = Path(__file__).parent / "programs" / "marks.c"
FAR_FUTURE_NS = 1 << 62
"""A time after any file was changed."""


def line_of(text: str) -> int:
    return next(number for number, line in enumerate(SOURCE.read_text().splitlines(), 1) if text in line)


INLINED, PLAIN = line_of('mark("inlined")'), line_of('mark("plain")')
INNER_IN_MIDDLE, MIDDLE_IN_OUTER = line_of("    inner();"), line_of("    middle();")


class MarkedProgram:
    """A program made from marks.c that has run once."""

    def __init__(self, directory: Path, *flags: str, name: str = "marks") -> None:
        self.path = directory / name
        # Position-dependent programs begin at another address; one test makes such a program.
        words = ["gcc", "-O2", *flags, "-o", str(self.path), str(SOURCE), "-ldl"]
        subprocess.run(words, check=True, capture_output=True)
        output = subprocess.run([self.path], check=True, capture_output=True, text=True).stdout
        self.offsets = dict(line.split() for line in output.splitlines())

    @property
    def build_id(self) -> str | None:
        notes = subprocess.run(["readelf", "-n", self.path], check=True, capture_output=True, text=True).stdout
        build_ids = [line.split()[-1] for line in notes.splitlines() if "Build ID" in line]
        return build_ids[0] if build_ids else None

    def sites(self) -> list[str]:
        return [f"./marks+0x{self.offsets[name]}" for name in ("inlined", "plain")]

    def places(
        self, *modules: dict[str, str | None], started_ns: int | None = FAR_FUTURE_NS, symbol: str = ""
    ) -> list[Place]:
        """Resolved call sites of the two calls, in the order of the program's text."""
        known_modules = modules or ({"name": "./marks", "path": str(self.path), "build_id": self.build_id},)
        by_call_site = {
            place.call_site: place for place in resolve(dict.fromkeys(self.sites(), symbol), known_modules, started_ns)
        }
        return [by_call_site[site] for site in self.sites()]


@pytest.mark.parametrize("flags", [[], ["-no-pie", "-fno-pie"]])
def test_debug_information_tells_the_line_and_the_functions_around_an_inlined_one(
    tmp_path: Path, flags: list[str]
) -> None:
    program = MarkedProgram(tmp_path, "-g", *flags)
    inlined, plain = program.places()
    assert inlined.place == f"inner (marks.c:{INLINED}) in outer (marks.c:{MIDDLE_IN_OUTER})"
    assert inlined.inlined_in == f"middle (marks.c:{INNER_IN_MIDDLE}) in outer (marks.c:{MIDDLE_IN_OUTER})"
    assert (plain.place, plain.how, plain.line) == (f"last (marks.c:{PLAIN})", "line", PLAIN)
    assert (plain.function, plain.file, plain.module) == ("last", str(SOURCE), str(program.path))


def test_callers_stand_before_the_wrapper_that_they_call(tmp_path: Path) -> None:
    program = MarkedProgram(tmp_path, "-g")
    inlined, plain = program.sites()
    modules = [{"name": "./marks", "path": str(program.path), "build_id": program.build_id}]
    sites = {f"{plain} from {caller}": "" for caller in (inlined, plain)}
    place, _ = resolve(sites, modules, FAR_FUTURE_NS)
    assert place.place == f"inner (marks.c:{INLINED}) via last (marks.c:{PLAIN})"
    assert (place.function, place.line, place.how) == ("inner", INLINED, "line")
    unknown, _ = resolve(
        {f"{plain} from {caller}": "last" for caller in ("/lib/a from b+0x20", "c+0x1")}, None, FAR_FUTURE_NS
    )
    assert unknown.place == f"a from b+0x20 via last (marks+0x{program.offsets['plain']})"


def test_without_debug_information_the_nearest_symbol_is_named(tmp_path: Path) -> None:
    program = MarkedProgram(tmp_path)
    inlined, plain = program.places()
    assert [(place.how, place.function, place.line) for place in (inlined, plain)] == [
        ("symbol", "outer", None),
        ("symbol", "last", None),
    ]
    assert plain.place.startswith("last+0x")
    assert plain.place.endswith(" (marks)")


def test_a_stripped_program_is_named_by_what_it_exports_or_not_at_all(tmp_path: Path) -> None:
    bare = MarkedProgram(tmp_path, "-s").places()[1]
    assert (bare.how, bare.function) == ("stripped", None)
    assert bare.place == Path(bare.call_site).name
    exporting = MarkedProgram(tmp_path, "-s", "-rdynamic").places()[1]
    assert (exporting.how, exporting.function) == ("symbol", "last")


def test_a_program_that_was_built_again_after_the_run_is_not_asked(tmp_path: Path) -> None:
    """The lines would be those of another text, but look right."""
    program = MarkedProgram(tmp_path, "-g")
    recorded = {"name": "./marks", "path": str(program.path), "build_id": "00" * 20}
    assert [place.how for place in program.places(recorded)] == ["another build"] * 2
    assert program.places(recorded)[1].place == f"marks+0x{program.offsets['plain']}"
    # The symbol that the process itself found is in the archive.
    assert program.places(recorded, symbol="last")[1].place == f"last (marks+0x{program.offsets['plain']})"


def test_a_build_without_an_id_must_be_older_than_the_run(tmp_path: Path) -> None:
    program = MarkedProgram(tmp_path, "-g", "-Wl,--build-id=none")
    assert program.build_id is None
    assert [place.how for place in program.places(started_ns=time.time_ns())] == ["line"] * 2
    assert [place.how for place in program.places(started_ns=1)] == ["another build"] * 2
    assert [place.how for place in program.places(started_ns=None)] == ["another build"] * 2


def test_what_lacks_to_find_a_place_is_said(tmp_path: Path) -> None:
    program = MarkedProgram(tmp_path, "-g")
    lost_module = {"name": "./marks", "path": str(tmp_path / "gone"), "build_id": program.build_id}
    assert program.places(lost_module)[0].how == "no file"
    (tmp_path / "text").write_text("no program")
    assert program.places({**lost_module, "path": str(tmp_path / "text")})[0].how == "no file"
    assert program.places(lost_module, {**lost_module, "build_id": "00"})[0].how == "several builds"
    assert program.places({**lost_module, "name": "./other"})[0].how == "unidentified"
    assert [place.how for place in resolve({program.sites()[0]: ""}, None, FAR_FUTURE_NS)] == ["unidentified"]


def test_a_copy_in_another_place_is_the_same_build(tmp_path: Path) -> None:
    """Two hosts may have the module under different paths."""
    program = MarkedProgram(tmp_path, "-g")
    shutil.copy(program.path, tmp_path / "copy")
    lost_module = {"name": "./marks", "path": str(tmp_path / "gone"), "build_id": program.build_id}
    assert [place.how for place in program.places(lost_module, {**lost_module, "path": str(tmp_path / "copy")})] == [
        "line"
    ] * 2


def test_another_tools_file_and_line_are_the_place() -> None:
    [place] = resolve({"/src/heat.f90:42": ""}, [], None)
    assert (place.place, place.how, place.file, place.line) == ("heat.f90:42", "archive", "/src/heat.f90", 42)


def test_a_line_of_python_is_the_place_with_its_function() -> None:
    sites = {
        "/u/solve.py:42 in Solver.step": "Solver.step",
        "/u/solve.py:42 in <lambda>": "<lambda>",
        "/v/solve.py:1 in <module>": "<module>",
        "<text>:2 in made": "made",
        "/u/other.py in lost": "lost",  # a line that Python itself does not know
        "/u/other.py": "lost",
    }
    by_call_site = {place.call_site: place for place in resolve(sites, [], None)}
    assert [by_call_site[site].place for site in sites] == [
        "Solver.step (u/solve.py:42)",
        "<lambda> (u/solve.py:42)",
        "<module> (v/solve.py:1)",
        "made (<text>:2)",
        "lost (other.py)",
        "lost (other.py)",
    ]
    step = by_call_site["/u/solve.py:42 in Solver.step"]
    assert (step.how, step.function, step.file, step.line) == ("archive", "Solver.step", "/u/solve.py", 42)


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    for folder in ("left", "right"):
        (tmp_path / folder).mkdir()
        source = (
            SOURCE.read_text().replace("int main(void)", f"void {folder}(void)").replace("mark(", f"mark_{folder}(")
        )
        source = source.replace("void outer", "static void outer").replace("void last", "static void last")
        (tmp_path / folder / "marks.c").write_text(source)
    (tmp_path / "main.c").write_text("void left(void); void right(void); int main(void) { left(); right(); return 0; }")
    names = ["main.c", "left/marks.c", "right/marks.c"]
    subprocess.run(["gcc", "-O2", "-g", "-o", "both", *names, "-ldl"], cwd=tmp_path, check=True)
    output = subprocess.run([tmp_path / "both"], check=True, capture_output=True, text=True).stdout
    sites = {f"both+0x{line.split()[1]}": "" for line in output.splitlines() if line.startswith("plain")}
    # The linker adds a build id, so neither build has the other's.
    notes = subprocess.run(["readelf", "-n", tmp_path / "both"], check=True, capture_output=True, text=True).stdout
    build_id = next(line.split()[-1] for line in notes.splitlines() if "Build ID" in line)
    modules = [{"name": "both", "path": str(tmp_path / "both"), "build_id": build_id}]
    assert {place.place for place in resolve(sites, modules, None)} == {
        f"last (left/marks.c:{PLAIN})",
        f"last (right/marks.c:{PLAIN})",
    }
