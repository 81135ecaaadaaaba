"""Options that give `hopscope run` the hosts of an earlier run."""

from pathlib import Path

from hopscope.format.json_text import read_json

_FILE = "topology.json"


def same_hosts(trace: Path, topology: str | None) -> list[str]:
    """The option and its file: `--net` if the run's hosts were an emulated network, else `--topology`. Empty if the run
    had no topology file.

    trace: the run's directory, or the archive or the dataset in it. topology: the text of the file, as the table `run`
    has it.
    """
    if topology is None:
        return []
    places = (trace / _FILE, trace.parent / _FILE)
    file = next((place for place in places if place.is_file()), places[0])
    return ["--net" if _asks_for_network(topology) else "--topology", str(file)]


def _asks_for_network(topology: str) -> bool:
    try:
        content = read_json(topology)
    except ValueError:
        return False  # the file is invalid; `hopscope run --topology` will say why
    return isinstance(content, dict) and "network" in content
