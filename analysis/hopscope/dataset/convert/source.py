"""Finds out what a path given to a command is: a dataset, an archive, or a run whose archive must be assembled
first."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from hopscope.dataset.manifest import MANIFEST, is_dataset
from hopscope.errors import InputError
from hopscope.launch import job
from hopscope.launch.inputs import kind_of

_SUFFIX = ".otf2"
_READ_BY = {
    "machine": "`analyze model`, `analyze formulas`, `analyze report` and `hopscope dashboard` read it in place of one",
    "topology": "`hopscope run --topology` takes it, or `--net` if it has a network",
    "tree": "`hopscope run --tree` takes it",
}
"""Advice for a user who gives a file of this kind instead of a trace."""


@dataclass(frozen=True)
class Archive:
    """An OTF2 archive, given by its anchor file."""

    anchor: Path

    @property
    def directory(self) -> Path:
        """The directory of the anchor and of the run's own files."""
        return self.anchor.parent

    @property
    def name(self) -> str:
        """The name that users see: the trace directory's, or the anchor's if it is not the default one."""
        return self.directory.name if self.anchor.name == job.ANCHOR else self.anchor.stem

    @property
    def definitions(self) -> Path:
        """The archive's file of global definitions."""
        return self.anchor.with_suffix(".def")

    @property
    def events(self) -> Path:
        """The directory of the event files, one for each location (a thread)."""
        return self.anchor.with_suffix("")

    @property
    def run_facts(self) -> Path:
        """The collector's facts about the run; another tool's archive has none."""
        return self.directory / "run.json"


def find(path: Path) -> Archive | Path:
    """The archive at a path. The dataset directory instead, if the path is a dataset or a trace without its archive.

    Assembles the archive of a run first if there is none. Raises InputError for any other path.
    """
    if not path.exists():
        raise InputError(
            f"{path} does not exist; give a trace directory, an OTF2 anchor file (*{_SUFFIX}) or a dataset"
        )
    if path.is_file():
        if path.suffix != _SUFFIX:
            kind = kind_of(path) if path.suffix == ".json" else None
            if kind is not None:
                raise InputError(f"{path} is a {kind} file, not a trace; {_READ_BY[kind]}")
            raise InputError(
                f"{path} is not an OTF2 anchor file (*{_SUFFIX}); give the anchor file or the trace directory"
            )
        return Archive(path.absolute())
    if is_dataset(path):
        return path.absolute()
    if job.is_unassembled_run(path):
        job.assemble(path)
    elif job.may_have_grown(path):
        with suppress(InputError):  # the present archive can still be read
            job.assemble(path)
    anchors = sorted(path.glob(f"*{_SUFFIX}"))
    anchor = path / job.ANCHOR
    if anchor in anchors:
        return Archive(anchor.absolute())
    if len(anchors) == 1:
        return Archive(anchors[0].absolute())
    if anchors:
        raise InputError(f"{path} contains several archives; give one of them: {', '.join(str(a) for a in anchors)}")
    if is_dataset(path / "dataset"):
        return (path / "dataset").absolute()
    raise InputError(
        f"{path} contains no OTF2 archive (*{_SUFFIX}), no recordings (spool/*.defs) and no dataset ({MANIFEST}); "
        "give the directory that `hopscope run` printed, or an archive"
    )
