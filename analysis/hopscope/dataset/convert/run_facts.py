"""The tables `run` and `clocks`: facts from the archive, and from run.json beside it or inside it."""

import hashlib
import json
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pyarrow as pa

from hopscope.callsites import resolve
from hopscope.dataset.convert.columns import table_of
from hopscope.dataset.convert.ending import unfinished
from hopscope.dataset.convert.source import Archive
from hopscope.dataset.manifest import SCHEMA_VERSION
from hopscope.errors import InputError, shortened_list
from hopscope.format.json_text import read_json
from hopscope.format.quantities import number, plural

Facts = dict[str, Any]

_FILE_LIMIT = 8
"""The largest number of files that a message names."""


def hopscope_version() -> str:
    """Version of this program; `unknown` where it runs without being installed."""
    try:
        return version("hopscope")
    except PackageNotFoundError:
        return "unknown"


def read_run_facts(archive: Archive, facts: Facts) -> Facts:
    """The contents of run.json: the file beside the archive, else a trace property with its text. Empty if there is
    neither."""
    text: str | None = facts["run_json"]
    origin: Path | str = f"the run.json property of {archive.anchor}"
    if archive.run_facts.is_file() and facts["is_ours"]:
        origin = archive.run_facts
        try:
            text = archive.run_facts.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as problem:
            raise InputError(f"cannot read {origin}: {problem}; remove it to convert without its facts") from None
    if not text:
        return {}
    try:
        run_json = read_json(text)
    except ValueError as problem:
        raise InputError(f"{origin} is not valid JSON: {problem}; remove it to convert without its facts") from None
    if not isinstance(run_json, dict):
        raise InputError(f"{origin}: expected an object, found {type(run_json).__name__}")
    return run_json


def clocks_table(run_json: Facts, facts: Facts, measured: pa.Table) -> pa.Table:
    """The clock measurements of run.json, which has both error and bound; without them, the clock offsets of the
    archive.

    `at_ns` in run.json is the raw clock of its machine; in the table it is corrected and counted from the first event.
    """
    rows: list[Facts] = run_json.get("clocks") or []
    if not rows:
        return measured
    begin = round(facts["first_ticks"] * 1_000_000_000 / facts["ticks_per_second"])
    clocks = {
        (str(row["host"]), int(row["at_ns"]) + int(row["offset_ns"]) - begin): {
            "host": str(row["host"]),
            "at_ns": int(row["at_ns"]) + int(row["offset_ns"]) - begin,
            "offset_ns": int(row["offset_ns"]),
            "error_ns": round(row["error_ns"]),
            "bound_ns": round(row["bound_ns"]),
        }
        for row in rows
    }
    return table_of("clocks", [clocks[key] for key in sorted(clocks)])


def places_table(run_json: Facts, facts: Facts) -> pa.Table:
    """The table `places`: the source lines of the archive's call sites, if this machine has the programs that ran."""
    started = _started_at(run_json)
    modules = run_json.get("modules") if facts["is_ours"] else []
    places = resolve(facts["call_sites"], modules, None if started is None else _unix_ns(started))
    return table_of("places", [vars(place) for place in places])


def run_table(archive: Archive, run_json: Facts, facts: Facts, clocks: pa.Table, ranks: pa.Table) -> pa.Table:
    """The table `run`, which has one row."""
    is_hopscope = facts["is_ours"]
    tree_file = _text(run_json.get("tree_file")) or _sibling_text(archive, "tree.json", is_hopscope)
    row: Facts = {
        "run": archive.name,
        "mpi_library": _text(run_json.get("mpi_library")),
        "command": _text(run_json.get("command")),
        "started_at": _started_at(run_json),
        "duration_ns": facts["duration_ns"],
        "ranks": ranks.num_rows,
        "threads": facts["threads"],
        "hosts": len(set(ranks["host"].to_pylist())),
        "clusters": len(set(ranks["cluster"].to_pylist())),
        "mode": (run_json.get("mode") or ("tree" if facts["ran_tree"] else "observe")) if is_hopscope else "foreign",
        "record": _text(run_json.get("record")),
        "tree_file": tree_file,
        "tree_hash": hashlib.sha256(tree_file.encode()).hexdigest() if tree_file else None,
        "topology_file": _text(run_json.get("topology_file")) or _sibling_text(archive, "topology.json", is_hopscope),
        "emulated": _text(run_json.get("emulated")) or None,
        "network": _text(run_json.get("network")) or None,
        "settings": _text(run_json.get("settings")) or None,
        "presence": _text(run_json.get("presence")),
        "clock_error_ns": _between_clocks(clocks, ranks, "error_ns"),
        "clock_bound_ns": _between_clocks(clocks, ranks, "bound_ns"),
        "clock_used": "error",
        "events": facts["events"],
        "unfinished": unfinished(archive.directory, facts["stopped"]),
        "missing": _missing(archive, run_json, facts),
        "damaged_files": len(facts["damaged"]),
        "miscounted": _miscounted(archive, facts),
        "set_back_events": facts["set_back_events"],
        "overhead_ns": facts["overhead_ns"] if is_hopscope else None,
        "event_cost_ns": None if run_json.get("event_cost_ns") is None else float(run_json["event_cost_ns"]),
        **_native_messages(run_json),
        "creator": facts["creator"] or "unknown",
        "hopscope_version": hopscope_version(),
        "schema_version": SCHEMA_VERSION,
    }
    return table_of("run", [row])


def _native_messages(run_json: Facts) -> Facts:
    """The columns of `run` about messages inside the MPI library. Older collectors counted unseen messages among the
    internal ones."""
    native = run_json.get("native_messages") or {}
    unseen = 0 if native.get("internal") == 0 else None
    return {
        "native_unseen": None if native.get("off") else native.get("unseen", unseen),
        **{f"native_{name}": native.get(name) for name in ("off", "unknown", "lost", "thinned")},
    }


def _text(value: object) -> str | None:
    """A value as text: strings unchanged, a list of strings joined by spaces, other structures as JSON. None for null
    and an empty string."""
    if value is None or value == "":
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return " ".join(value)
    return json.dumps(value, sort_keys=True)


def _sibling_text(archive: Archive, name: str, is_hopscope: bool) -> str | None:
    path = archive.directory / name
    return path.read_text(encoding="utf-8") if is_hopscope and path.is_file() else None


def _started_at(run_json: Facts) -> str | None:
    if run_json.get("started_at"):
        return str(run_json["started_at"])
    if run_json.get("started_ns"):
        return datetime.fromtimestamp(run_json["started_ns"] / 1e9, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return None


def _unix_ns(started_at: str) -> int:
    """Unix time of an ISO 8601 time."""
    return round(datetime.fromisoformat(started_at).timestamp() * 1e9)


def _between_clocks(clocks: pa.Table, ranks: pa.Table, figure: str) -> int | None:
    """The largest uncertainty between two clocks of the run, in ns: the sum of the two largest uncertainties of
    machines against the reference machine, whose own is zero. None if a machine's clock was never measured."""
    machines = set(ranks["clock_host"].to_pylist())
    if len(machines) < 2:
        return 0
    if machines - set(clocks["host"].to_pylist()):
        return None
    worst = dict.fromkeys(machines, 0)
    for host, value in zip(clocks["host"].to_pylist(), clocks[figure].to_pylist(), strict=True):
        worst[host] = max(worst.get(host, 0), value)
    return sum(sorted(worst.values())[-2:])


def _missing(archive: Archive, run_json: Facts, facts: Facts) -> str | None:
    missing: str | list[str] = run_json.get("missing") or []
    sentences = [missing] if isinstance(missing, str) else [str(sentence) for sentence in missing]
    if not sentences:  # if there are any, they cover the stopped ranks, too, in fewer words
        ranks_by_reason: dict[str, list[int]] = {}
        for rank, reason in sorted(facts["stopped"].items()):
            ranks_by_reason.setdefault(reason, []).append(rank)
        sentences = [f"the end of {_ranks(ranks)} ({reason})" for reason, ranks in ranks_by_reason.items()]
    sentences = [*_damaged(archive, facts), *sentences]
    incomplete = facts["incomplete_collectives"]
    counts = [
        (incomplete, f"part of {number(incomplete)} of {number(facts['collectives'])} collectives"),
        (
            facts["unplaced_calls"],
            f"the communicator of {plural(facts['unplaced_calls'], 'collective call')}, counted as other MPI calls",
        ),
        (
            facts["threads_without_process"],
            f"the process of {plural(facts['threads_without_process'], 'thread')}: the archive does not name it, so "
            "each thread appears as a rank of its own on an unknown host",
        ),
        (facts["unmatched_hop_ends"], f"one end of {plural(facts['unmatched_hop_ends'], 'hop')} (dropped)"),
        (facts["unmatched_sends"], f"the receive of {plural(facts['unmatched_sends'], 'send')}"),
        (facts["unmatched_receives"], f"the send of {plural(facts['unmatched_receives'], 'receive')}"),
    ]
    sentences += [sentence for count, sentence in counts if count]
    return "; ".join(sentences) or None


def _damaged(archive: Archive, facts: Facts) -> list[str]:
    """The unreadable events of each file, in sentences."""
    damaged: list[tuple[str, int, int, str]] = facts["damaged"]
    sentences: list[str] = []
    for file, read, promised, reason in damaged[:_FILE_LIMIT]:
        name = file.removeprefix(f"{archive.directory}/")
        loss = f"events after {read} of {promised} in {name}" if read else f"all events of {name}"
        sentences.append(f"{loss} ({reason})")
    if len(damaged) > _FILE_LIMIT:
        sentences.append(f"events of {len(damaged) - _FILE_LIMIT} more files")
    return sentences


def _miscounted(archive: Archive, facts: Facts) -> str | None:
    """The event files whose number of events differs from the number that the archive declares, as text."""
    files: list[tuple[int, int, int]] = facts["miscounted"]
    texts = [
        f"{archive.events.name}/{location}.evt holds {number(read)} and not {number(declared)}"
        for location, read, declared in files[:_FILE_LIMIT]
    ]
    if len(files) > _FILE_LIMIT:
        texts.append(f"{plural(len(files) - _FILE_LIMIT, 'more file')} other numbers, too")
    return ", ".join(texts) or None


def _ranks(ranks: list[int]) -> str:
    rank_list = shortened_list(list(map(str, ranks)))
    return f"rank {rank_list}" if len(ranks) == 1 else f"{number(len(ranks))} ranks ({rank_list})"
