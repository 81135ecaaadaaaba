"""Writes gates as Markdown for a comment on a pull request: first the verdict, then the gates that did not pass, and
the rest folded. The text is never longer than a comment may be."""

from collections.abc import Mapping, Sequence
from typing import Any

from hopscope.format.quantities import MISSING, quantity
from hopscope.gate.judgement import worst
from hopscope.gate.suite import GateResult
from hopscope.render.visible import visible

LONGEST = 60_000
"""The largest number of characters of a comment; GitHub allows 65,536."""
# Limits that keep a comment below 60,000 characters. It has two tables of `_ROWS` rows with two texts each, and two
# lists of `_CAVEATS` lines, of which one has two texts a line.
_ROWS = 15
_LONGEST_TEXT = 380
_CAVEATS = 20
_MARKS = {"passed": "✅", "failed": "❌", "undecided": "❔", "skipped": "➖"}
# GitHub would notify a person named after an @. The invisible joiner after it prevents that.
_SAFE = {**{mark: f"\\{mark}" for mark in "\\`*_[]#|~"}, "&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "@\u2060"}
_VERDICTS = {"passed": "passed", "failed": "failed", "undecided": "could not all be judged"}


def as_markdown(
    trace: str,
    baseline: str | None,
    gate_results: Sequence[GateResult],
    caveats: Sequence[str],
    trust: Sequence[Mapping[str, Any]] = (),
    *,
    diagnosis: Sequence[Mapping[str, Any]] = (),
    comparison: str | None = None,
) -> str:
    """The comment. `trust` and `diagnosis` are the rows of `trust` and `diagnose`, `comparison` is the sentence of
    `compare` about the whole run.

    Names and sentences come from traces, so all markup in them is escaped.
    """
    verdict = worst([gate_result.outcome for gate_result in gate_results if gate_result.outcome is not None])
    passed = [gate_result for gate_result in gate_results if _verdict(gate_result) == "passed"]
    problems = [gate_result for gate_result in gate_results if _verdict(gate_result) != "passed"]
    comparison_text = f" against {_text(baseline)}" if baseline else ""
    parts = [
        f"### {_MARKS[verdict]} Hopscope: gates {_VERDICTS[verdict]}",
        f"{_counts(gate_results)} on {_text(trace)}{comparison_text}.",
    ]
    if comparison:
        parts.append(_text(comparison))
    if problems:
        parts.append(_table(problems))
    if passed:
        parts.append(_folded(f"{len(passed)} passed", _table(passed)))
    if diagnosis:
        first, *causes = [f"{row['severity']}: {_text(row['sentence'])}" for row in diagnosis]
        parts.append(first)
        if causes:
            parts.append(_folded("Other causes", "\n".join(f"- {line}" for line in causes)))
    if caveats:
        bullets = [f"- {_text(caveat)}" for caveat in caveats[:_CAVEATS]]
        bullets += [f"- and {len(caveats) - _CAVEATS} more: `analyze trust`"] if len(caveats) > _CAVEATS else []
        parts.append(_folded("What limits these results", "\n".join(bullets)))
    lines = [f"- {_text(row['item'])}: {_text(_in_words(row))}" for row in trust if row["section"] != "limits"]
    if lines:
        parts.append(_folded("How far to trust this", "\n".join(lines[:_CAVEATS])))
    return "\n\n".join(parts) + "\n"


def _in_words(row: Mapping[str, Any]) -> str:
    value = quantity(row["value"], row["unit"])
    return row["sentence"] if value == MISSING else f"{value}, {row['sentence']}"


def _counts(gate_results: Sequence[GateResult]) -> str:
    verdicts = [_verdict(gate_result) for gate_result in gate_results]
    counts = [f"{verdicts.count(word)} {word}" for word in _MARKS if word in verdicts]
    plural = "s" if len(gate_results) != 1 else ""
    return f"{len(gate_results)} gate{plural}: {', '.join(counts)}" if counts else "No gate"


def _table(gate_results: Sequence[GateResult]) -> str:
    lines = ["| | kind | analysis | gate |", "| --- | --- | --- | --- |"]
    lines += [
        f"| {_MARKS[_verdict(gate_result)]} | {gate_result.kind} | {_text(gate_result.question)} "
        f"| {_text(_sentence(gate_result))} |"
        for gate_result in gate_results[:_ROWS]
    ]
    if len(gate_results) > _ROWS:
        lines.append(f"| | | | and {len(gate_results) - _ROWS} more |")
    return "\n".join(lines)


def _folded(title: str, text: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{text}\n\n</details>"


def _verdict(gate_result: GateResult) -> str:
    return gate_result.outcome.outcome if gate_result.outcome else "skipped"


def _sentence(gate_result: GateResult) -> str:
    return (
        gate_result.outcome.sentence
        if gate_result.outcome
        else f"{gate_result.expression}: it needs a baseline, and none was given"
    )


def _text(text: str) -> str:
    """A text that cannot act as markup, end a table's cell or mention a person, in one line of limited length."""
    parts: list[str] = []
    length = 0
    for letter in visible(" ".join(text.split())):
        safe = _SAFE.get(letter, letter)
        length += len(safe)
        if length > _LONGEST_TEXT:
            parts.append("…")
            break
        parts.append(safe)
    return "".join(parts)
