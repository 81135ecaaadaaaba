"""The report of a trace: title and date, diagnosis, timeline, and the details folded. It has no script."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from hopscope.explain.diagnosis.entry import CONDITIONS
from hopscope.format import quantities
from hopscope.vocabulary.words import actions_for, short_command

from hopscope_dashboard.data.trace import Trace, static_page
from hopscope_dashboard.palette import MONO_FONT
from hopscope_dashboard.report.details import DETAILS, content
from hopscope_dashboard.report.markup import folded, number_of_words, paragraph, plain, sentence
from hopscope_dashboard.report.timeline_svg import timeline

Progress = Callable[[str, int, int], None]
Row = dict[str, Any]

MOST_WORDS: Final = 2_000
"""Largest number of words in a report. A part that would make it longer is left out, and a note with its title says
so."""

_CAUSES: Final = 6
"""Largest number of other causes shown."""
_STYLE: Final = f"""
h1 {{ font-size: 25px; margin: 0; }} h2 {{ font-size: 18px; margin: 26px 0 6px; }} p {{ margin: 4px 0; }}
code {{ font-family: {MONO_FONT}; font-size: 13px; }}
.muted, .legend {{ color: var(--muted); font-size: 13.5px; }}
.severity {{ border-radius: 5px; padding: 1px 8px; font-size: 12px; color: #fff; background: #5b6570; }}
.severity.problem {{ background: #b3261e; }} .severity.note {{ background: #8a5a00; }}
details {{ border-top: 1px solid var(--line); padding: 8px 0; }} summary {{ cursor: pointer; font-weight: 600; }}
.frame {{ overflow-x: auto; margin: 8px 0; }} table {{ border-collapse: collapse; font-size: 14px; }}
th, td {{ text-align: left; padding: 4px 14px 4px 0; border-bottom: 1px solid var(--line); vertical-align: top; }}
th {{ color: var(--muted); font-weight: 600; }} .number {{ text-align: right; white-space: nowrap; }}
.timeline {{ width: 100%; font-size: 12px; }} .timeline text {{ fill: var(--muted); }}
.timeline .name {{ text-anchor: end; }} .key {{ margin-right: 14px; }}
.key i {{ display: inline-block; width: 11px; height: 11px; border-radius: 3px; margin-right: 5px; }}
"""


def document(trace: Trace, version: str, progress: Progress | None = None) -> str:
    """Give the report of a trace as one HTML document. `version` is Hopscope's. The report has the same numbers as the
    command line. Raises InputError if the dataset does not say what ran."""
    steps = len(DETAILS) + 2

    def report_progress(done: int) -> None:
        if progress:
            progress("writing the report", done, steps)

    report_progress(0)
    name = _name(trace)
    parts = [_head(trace, name, version), _diagnosis(actions_for(trace.run("diagnose").to_pylist(), str(trace.path)))]
    report_progress(1)
    parts.append(f"<h2>Timeline</h2>{timeline(trace)}")
    parts.append("<h2>Details</h2>")
    for done, (section, title, give) in enumerate(DETAILS, start=2):
        report_progress(done)
        parts.append(_fitting(parts, folded(section, title, content(trace, give)), title))
    report_progress(steps)
    return static_page(name, _STYLE, f"<main>{''.join(parts)}</main>")


def _fitting(parts: Sequence[str], part: str, title: str) -> str:
    """Returns a part or, if the report would be too long, a note that it is left out."""
    fits = number_of_words("".join(parts)) + number_of_words(part) <= MOST_WORDS - _RESERVE
    return part if fits else paragraph(f"{title}: left out, because the report would be too long.", "muted")


_RESERVE: Final = 20 * len(DETAILS)
"""Words reserved for notes on parts left out."""


def _name(trace: Trace) -> str:
    return plain(short_command(trace.run_facts.get("command")) or trace.path.resolve().name)


def _head(trace: Trace, name: str, version: str) -> str:
    run = trace.run_facts
    date, _, time = str(run.get("started_at") or "").partition("T")
    started = f"{date} {time[:8]} UTC" if date else "Start time not recorded"
    worlds = len({rank["world"] for rank in trace.table("ranks").to_pylist()})
    ranks = quantities.plural(run["ranks"], "rank") + (f" of {worlds} worlds" if worlds > 1 else "")
    facts = [
        started,
        ranks,
        quantities.plural(run["hosts"], "host"),
        quantities.duration(run["duration_ns"]),
        *([str(run["mpi_library"]).splitlines()[0].split(",")[0]] if run.get("mpi_library") else []),
        f"Hopscope {version}",
    ]
    return f'<h1>{name}</h1><p class="muted">{plain(" · ".join(facts))}</p>'


def _diagnosis(rows: Sequence[Row]) -> str:
    """The verdict, then the other causes, then the conditions that limit how far the verdict can be trusted."""
    conditions = [row for row in rows if row["kind"] in CONDITIONS]
    first, *other_causes = [row for row in rows if row["kind"] not in CONDITIONS]
    problems = [row for row in other_causes if row["severity"] != "OK"][:_CAUSES]
    verdict = f'<h2 id="verdict">{_marked(first)}</h2>'
    texts = paragraph(first["evidence"], "muted") + paragraph(first["action"])
    lines = "".join(f"<li>{_marked(row)} {sentence(row['action'])}</li>" for row in [*problems, *conditions])
    return f'<section id="diagnosis">{verdict}{texts}{f"<ul>{lines}</ul>" if lines else ""}</section>'


def _marked(row: Row) -> str:
    severity = row["severity"]
    return f'<span class="severity {severity.lower()}">{severity}</span> {sentence(row["sentence"])}'
