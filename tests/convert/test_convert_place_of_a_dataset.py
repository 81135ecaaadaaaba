"""A conversion replaces and removes only what a conversion made: a directory called `dataset` may be the user's."""

import json
import resource
from pathlib import Path

import click
import hopscope
import pytest
from archive_drawing import Drawing, Place
from hopscope.cli.analyze import analyze
from hopscope.cli.main import execute
from hopscope.cli.main import hopscope as hopscope_group
from hopscope.dataset.convert import dataset, ensure_dataset
from hopscope.dataset.convert.place import UNFINISHED
from hopscope.errors import InputError


def draw(directory: Path, barriers: int = 3) -> Path:
    """A trace directory with this number of barriers of two ranks."""
    drawing = Drawing(directory, [Place("h0"), Place("h0")])
    for i in range(barriers):
        for rank in (0, 1):
            drawing.collective(rank, 100 * i, 100 * i + 50, "MPI_Barrier")
    drawing.write()
    return directory


def barriers_in(trace: hopscope.Trace) -> int:
    return trace.table("collectives").num_rows


def make_outdated(directory: Path) -> None:
    """Changes a dataset so that an older version seems to have made it."""
    content = json.loads((directory / "manifest.json").read_text())
    content["source"]["hopscope_version"] = "0.0.1"
    (directory / "manifest.json").write_text(json.dumps(content))


@pytest.mark.parametrize("manifest", [None, "", "{}", "[]", '{"schema_version": 2}', '{"tables": {"a": [1]}}'])
def test_a_users_own_directory_called_dataset_stays(tmp_path: Path, manifest: str | None) -> None:
    # Regression: the directory was deleted without a message.
    trace = draw(tmp_path / "t")
    users_directory = trace / "dataset"
    users_directory.mkdir()
    (users_directory / "images.csv").write_text("a year's work\n")
    if manifest is not None:
        (users_directory / "manifest.json").write_text(manifest)
    with pytest.raises(
        InputError, match=rf"{users_directory} (is not|may not be) a dataset made by hopscope.*--dataset DIR"
    ) as refusal:
        hopscope.open(trace)
    assert ("lacks" in str(refusal.value)) == (manifest is None)
    assert (users_directory / "images.csv").read_text() == "a year's work\n"
    assert sorted(path.name for path in trace.iterdir()) == ["dataset", "traces", "traces.def", "traces.otf2"]
    assert barriers_in(hopscope.open(trace, dataset=tmp_path / "elsewhere")) == 3


def test_a_broken_manifest_is_named_with_its_fault(tmp_path: Path) -> None:
    # Regression: the message was that the manifest is missing.
    trace = draw(tmp_path / "t")
    file = ensure_dataset(trace) / "manifest.json"
    file.write_text(file.read_text()[:100])
    with pytest.raises(InputError, match=r"its manifest\.json is broken: .* line .*delete it if it is one"):
        hopscope.open(trace)


def test_a_file_called_dataset_stays(tmp_path: Path) -> None:
    trace = draw(tmp_path / "t")
    (trace / "dataset").write_text("mine\n")
    for _ in range(2):  # Regression: the first command moved it aside, and then every command stopped
        with pytest.raises(InputError, match="is a file that hopscope did not make"):
            hopscope.open(trace)
    assert (trace / "dataset").read_text() == "mine\n"


@pytest.mark.parametrize("leads_to", ["own", "nothing"])
def test_a_link_called_dataset_stays_and_so_does_what_it_leads_to(tmp_path: Path, leads_to: str) -> None:
    trace = draw(tmp_path / "t")
    target = tmp_path / "own"
    target.mkdir()
    (target / "work").write_text("mine\n")
    (trace / "dataset").symlink_to(tmp_path / leads_to)
    for _ in range(2):
        with pytest.raises(InputError, match=r"symbolic link to .*--dataset DIR"):
            hopscope.open(trace)
    assert (trace / "dataset").is_symlink()
    assert (target / "work").read_text() == "mine\n"


def test_a_dataset_behind_a_link_is_read_and_never_replaced(tmp_path: Path) -> None:
    trace = draw(tmp_path / "t")
    dataset = ensure_dataset(trace)
    dataset.rename(tmp_path / "kept")
    dataset.symlink_to(tmp_path / "kept")
    assert barriers_in(hopscope.open(trace)) == 3
    make_outdated(tmp_path / "kept")
    files = sorted((tmp_path / "kept").rglob("*"))
    with pytest.raises(InputError, match="symbolic link"):
        hopscope.open(trace)
    assert sorted((tmp_path / "kept").rglob("*")) == files


def test_an_outdated_dataset_with_a_users_file_in_it_stays(tmp_path: Path) -> None:
    trace = draw(tmp_path / "t")
    dataset = ensure_dataset(trace)
    make_outdated(dataset)
    note = dataset / "notes.txt"
    note.write_text("mine\n")
    with pytest.raises(InputError, match=rf"{note} does not belong to it"):
        hopscope.open(trace)
    assert note.read_text() == "mine\n"
    note.unlink()
    assert barriers_in(hopscope.open(trace)) == 3


def test_an_empty_directory_takes_the_dataset(tmp_path: Path) -> None:
    trace = draw(tmp_path / "t")
    (tmp_path / "place").mkdir()
    assert hopscope.open(trace, dataset=tmp_path / "place").dataset == tmp_path / "place"
    assert (tmp_path / "place" / "manifest.json").is_file()
    assert not (trace / "dataset").exists()


def test_what_a_killed_conversion_left_is_cleared_away_and_nothing_else(tmp_path: Path) -> None:
    trace = draw(tmp_path / "t")
    dataset = ensure_dataset(trace)
    marked = (trace / "dataset.tmp-0badcafe", trace / "dataset.tmp-0badcafe-outdated")
    (marked[0] / "calls").mkdir(parents=True)
    (marked[0] / "calls" / "part-00000.parquet").write_bytes(b"half")
    (marked[0] / ".scratch-abcdef").touch()
    (marked[0] / UNFINISHED).write_text("made by a conversion of hopscope that has not finished\n")
    dataset.rename(marked[1])  # killed between two renames
    full = trace / "dataset.tmp-0badd15c"  # no room for the mark
    full.mkdir()
    (full / UNFINISHED).touch()
    users_directory = trace / "dataset.tmp-x"
    users_directory.mkdir()
    (users_directory / "work").write_text("mine\n")
    (trace / "dataset.tmp-link").symlink_to(users_directory)
    (trace / "dataset.tmp-file").write_text("mine\n")
    marked_directory = trace / "dataset.tmp-y"  # even a directory that somebody marked
    marked_directory.mkdir()
    (marked_directory / UNFINISHED).write_text("made by a conversion of hopscope that has not finished\n")
    (marked_directory / "work").write_text("mine\n")
    assert barriers_in(hopscope.open(trace)) == 3
    assert sorted(path.name for path in trace.glob("dataset*")) == [
        "dataset", "dataset.tmp-file", "dataset.tmp-link", "dataset.tmp-x", "dataset.tmp-y",
    ]  # fmt: skip
    assert (users_directory / "work").read_text() == (marked_directory / "work").read_text() == "mine\n"


@pytest.mark.parametrize("room", [0, 20, 5000])
def test_a_conversion_without_room_leaves_nothing(tmp_path: Path, room: int) -> None:
    # Regression: the directory was left behind. If not even its mark fitted, every command left one.
    trace = draw(tmp_path / "t")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, limits[1]))
    try:
        with pytest.raises(InputError, match="cannot write the dataset to"):
            hopscope.open(trace)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert sorted(path.name for path in trace.iterdir()) == ["traces", "traces.def", "traces.otf2"]


def test_an_archive_beside_another_programs_manifest_is_an_archive(tmp_path: Path) -> None:
    trace = draw(tmp_path / "t")
    (trace / "manifest.json").write_text('{"name": "a web application"}')
    assert barriers_in(hopscope.open(trace)) == 3


def test_a_place_that_cannot_be_written_names_the_option(tmp_path: Path) -> None:
    trace = draw(tmp_path / "t")
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"cannot write the dataset to .*file/d: File exists; name another place"):
        hopscope.open(trace, dataset=tmp_path / "file" / "d")


def test_a_trace_without_permission_and_without_a_cache_names_the_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test replaces the check for permission, because permission bits do not stop the superuser."""
    trace = draw(tmp_path / "t")
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr("hopscope.dataset.convert.place.os.access", lambda *_: False)
    with pytest.raises(InputError, match=r"cannot write the dataset to .*--dataset DIR"):
        hopscope.open(trace)
    assert barriers_in(hopscope.open(trace, dataset=tmp_path / "elsewhere")) == 3


def test_a_dataset_itself_takes_no_other_place(tmp_path: Path) -> None:
    dataset = ensure_dataset(draw(tmp_path / "t"))
    assert ensure_dataset(dataset, dataset=dataset) == dataset
    with pytest.raises(InputError, match="is already a dataset"):
        hopscope.open(dataset, dataset=tmp_path / "elsewhere")


def test_what_comes_to_the_place_during_a_conversion_stays(tmp_path: Path) -> None:
    trace = draw(tmp_path / "t")

    def put_there(*_: object) -> None:
        (trace / "dataset").mkdir(exist_ok=True)
        (trace / "dataset" / "work").write_text("mine\n")

    with pytest.raises(InputError, match="is not a dataset made by hopscope"):
        dataset.ensure_dataset(trace, progress=put_there)
    assert sorted(path.name for path in trace.iterdir()) == ["dataset", "traces", "traces.def", "traces.otf2"]
    assert (trace / "dataset" / "work").read_text() == "mine\n"


OF_NO_TRACE = ("list", "decide", "history")


def test_every_command_that_opens_a_trace_takes_the_place_of_its_dataset() -> None:
    context = click.Context(analyze)
    commands = {
        name: analyze.get_command(context, name) for name in analyze.list_commands(context) if name not in OF_NO_TRACE
    }
    commands["dashboard"] = hopscope_group.get_command(context, "dashboard")
    lacking = [
        name for name, command in commands.items() if command and "dataset" not in {p.name for p in command.params}
    ]
    assert lacking == []


@pytest.mark.parametrize(
    "words",
    [
        ["summary", "TRACE"],
        ["sql", "TRACE", "select 1 as one"],
        ["export", "TRACE", "-o", "OUTPUT"],
        ["report", "TRACE", "-o", "OUTPUT"],
        ["gate", "TRACE", "--config", "GATES"],
    ],
)
def test_a_command_makes_the_dataset_at_the_place_that_was_given(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = draw(tmp_path / "t")
    users_directory = trace / "dataset"
    users_directory.mkdir()
    (users_directory / "work").write_text("mine\n")
    (tmp_path / "gates.toml").write_text('[gates]\nsummary = "ranks.value > 1000"\n')
    places = {"TRACE": trace, "OUTPUT": tmp_path / "output", "GATES": tmp_path / "gates.toml"}
    arguments = [str(places.get(word, word)) for word in words]
    with pytest.raises(SystemExit) as exit_info:
        execute(analyze, "analyze", arguments)
    stderr = capsys.readouterr().err
    assert (exit_info.value.code, stderr.count(str(users_directory)), "--dataset DIR" in stderr) == (2, 1, True)
    with pytest.raises(SystemExit) as exit_info:
        execute(analyze, "analyze", [*arguments, "--dataset", str(tmp_path / "d")])
    assert exit_info.value.code == 0, capsys.readouterr().err
    assert (tmp_path / "d" / "manifest.json").is_file()
    assert (users_directory / "work").read_text() == "mine\n"
