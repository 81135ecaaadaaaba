"""Which of the candidates is suggested, in which order they are listed, and what is said of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from hopscope.model.costs import Costs
from hopscope.quantities import alike, duration, exact_size, interval, share
from hopscope.remap.judging.spread import LEAST_APART
from hopscope.remap.run.operations import REDUCING

if TYPE_CHECKING:
    from hopscope.remap.judging.guesses import Guesses
    from hopscope.remap.judging.tried import Tried

LEAST_GAIN = 0.01
"""Gains below this share are not suggested however good the model is."""
LIBRARY = "the MPI library's algorithm"
"""What carried the operation in a run that no tree did."""
NAMED = 4
"""So many pairs of hosts, or hosts, are named in the sentence before the rest is counted."""

ROUNDING = "Another tree or algorithm adds floating-point numbers in another order, so their last digits may change."
RERUN = "Only a run with another one shows whether that is faster."
WORTH = "These are worth a run: "
"""What comes before commands where nothing can be predicted."""
WITHIN_CHANCE = "That gain lies within what two runs of one program differ by."
RUN_IT = "run it once and compare before you rely on it"
ADVICE = f"measure that with `--probe-missing`, or {RUN_IT}"

Row = dict[str, Any]


def judge(rows: Sequence[Row], alike: float, *, tried_gains: bool = False, is_known: bool = True) -> list[int]:
    """Marks the row that is suggested, if any is, and gives the order of the rows: it first, then the fastest first.

    Of candidates that gain more than the model errs and than two runs differ by, or of which each part gains so much in
    its own iterations, while the others take no longer, one that leans on nothing unmeasured goes before all that do,
    however much faster these seem. One that does is suggested only if it gains with pairs of hosts as slow as any that
    was measured. alike: predictions closer than this share count as equal. is_known: whether the costs are
    those of trees at all; if not, none is suggested. tried_gains: whether the tree that was tried gained as measured:
    that decides whether it can be suggested, and no prediction does.
    """
    order = _order(rows, range(len(rows)), alike)
    tried = [i for i, row in enumerate(rows) if row.get("tried_ns") is not None]
    open_to = [i for i in range(len(rows)) if i not in tried or tried_gains]
    measured = [i for i in open_to if rows[i]["today"] or not leans(rows[i])]
    if leaning := [i for i in open_to if i not in measured]:
        # Nothing could change that one is faster which at its slowest is so than the best of these at its fastest.
        least = rows[_order(rows, measured, alike)[0]]["predicted_low_ns"]
        measured += [i for i in leaning if rows[i]["predicted_high_ns"] < least]
    off = [rows[i]["tried_ns"] / rows[i]["predicted_ns"] for i in tried]
    likely = (_order(rows, measured, alike)[0], _order(rows, open_to, alike)[0])
    for best in (*likely, *(tried if tried_gains else [])):
        if is_known and not rows[best]["today"] and (best in tried or _gains(rows[best], off)):
            rows[best]["chosen"] = True
            return [best, *(i for i in order if i != best)]
    return order


def leans(row: Row) -> int:
    """On how many pairs of hosts, interfaces, links and sizes of messages that the run did not measure."""
    return sum(int(row.get(f"unmeasured_{kind}", 0)) for kind in ("pairs", "interfaces", "links", "sizes"))


def _gains(row: Row, off: Sequence[float]) -> bool:
    """off: by which factor the prediction of a tree that was tried was too low. A prediction so much too low has to
    beat what the run measured."""
    predicted = row["alike_high_ns"] if leans(row) else row["predicted_ns"]
    if any(predicted * factor > (1 - LEAST_GAIN) * row["measured_ns"] for factor in off):
        return False
    least = max(row["model_error"], row.get("least_gain", LEAST_GAIN))
    gains = 1 - predicted / row["predicted_ns"] * (1 - row["gain"]) > least
    return (gains and _is_beyond_chance(row)) or _own_gain(row) > max(least, 2 * LEAST_APART)


def _is_beyond_chance(row: Row) -> bool:
    """Whether the slowest rerun that is expected of it is faster than the fastest that is expected of what ran."""
    return row["alike_high_ns" if leans(row) else "predicted_high_ns"] < row["measured_low_ns"]


def _own_gain(row: Row) -> float:
    """What the parts of a combination gain in iterations of their own, if no others are longer for it, and if none of
    it is guessed."""
    takes_no_longer = row.get("gain", 0.0) > -LEAST_GAIN
    return (row.get("own_gain") or 0.0) if takes_no_longer and not leans(row) else 0.0


def _order(rows: Sequence[Row], of: Sequence[int], share: float) -> list[int]:
    """The fastest first; of those that the model cannot tell apart, fewest unmeasured pairs, then one that was
    tried, most parts that gain, those that gain only in their own iterations by how much, what names fewest algorithms,
    fewest WAN messages, plainest shape."""
    alike = (1 + share) * min(rows[i]["predicted_ns"] for i in of)

    def rank(i: int) -> tuple[float, ...]:
        row = rows[i]
        if row["predicted_ns"] > alike:
            return (1, row["predicted_ns"], i)
        untried = row.get("tried_ns") is None
        return (
            0,
            leans(row),
            untried,
            -row.get("parts", 0),
            -round(_own_gain(row), 2) if row.get("gain", 0.0) < LEAST_GAIN else 0,
            row.get("named", 0),
            row["wan_messages"],
            round(row["predicted_ns"] / alike, 3),
            i,
        )

    return sorted(of, key=rank)


def sentence_of(
    rows: Sequence[Row],
    op: str,
    guessed: Mapping[str, Guesses],
    hosts: Sequence[str],
    *,
    ran: str = "today's tree",
    tried: Tried | None = None,
) -> str:
    """What is suggested, or why nothing is. rows: in the order of `judge`; guessed: what each candidate leans on
    without a measurement, by its name; hosts: their names; ran: what carried the operation
    in the run; tried: what another run over a tree measured, if there is one."""
    best, today = rows[0], next(row for row in rows if row["today"])
    fastest = min(rows, key=lambda row: row["predicted_ns"])
    replayed, took, predicted, least = alike(
        "ns", today["predicted_ns"], best["measured_ns"], best["predicted_ns"], fastest["predicted_ns"]
    )
    errs = f"so the model errs by {share(best['model_error'])}"
    now = f"{ran} takes {replayed} in the same replay and took {took} in the run, {errs}"
    if tried is not None and not best["chosen"]:
        advice = f" Leave {op} to the library." if tried.loses and tried.has_same_algorithm else ""
        return f"No tree is suggested: {measured_of(tried, op)}.{advice}"
    if tried is not None and best["tried_ns"] is not None:
        return f"{tried.tree} is suggested: {measured_of(tried, op)}."
    if best is today:
        return f"No tree is suggested: per iteration of {op} {now}, and no candidate is faster by more."
    would = f"would take {predicted} {per_iteration(best, op)}"
    if not best["chosen"]:
        said = f"No tree is suggested: the best candidate, {best['name']}, {would}; {now}.{within_chance(best)}"
    else:
        less = f"{share(best['gain'])} less than {ran}, which takes {replayed} in the same replay and took {took}"
        said = f"{best['name']} {would}, {less} in the run, {errs}."
        if fastest["predicted_ns"] < best["predicted_ns"] and not leans(fastest):
            said += " Among the trees that the model cannot tell apart, it has the fewest WAN messages."
    said += caveats_of(best, fastest, least, guessed, hosts)
    if tried is not None:
        measured = measured_of(tried, op)
        said += f" {measured[0].upper()}{measured[1:]}."
    elif best["chosen"] and ran == LIBRARY:
        said += (
            " That is if Hopscope's engine spends as little on a message as the library does, which this trace cannot "
            "show: run the program over the tree and measure the gain with `--tried`."
        )
    return said


def caveats_of(best: Row, fastest: Row, takes: str, guessed: Mapping[str, Guesses], hosts: Sequence[str]) -> str:
    """What the best leans on; else that it may lose if it is suggested, and what the fastest leans on. takes: what that
    would take, in words. Nothing of one that gains by no guess. Begins with a space where there is anything."""
    best_may_gain, fastest_may_gain = (row["predicted_low_ns"] < row["measured_ns"] for row in (best, fastest))
    if leans(best) and best_may_gain:
        return f" It {leans_on(best, guessed, hosts)}: {ADVICE}."
    said = f" {may_lose(best)}" if best["chosen"] and best["predicted_high_ns"] > best["measured_ns"] else ""
    if leans(fastest) and fastest_may_gain:
        said += f" {fastest['name']} would take {takes}, but it {leans_on(fastest, guessed, hosts)}: "
        said += f"{ADVICE}."
    return said


def within_chance(row: Row) -> str:
    """That a gain is no more than chance, where that alone keeps it from being suggested. Begins with a space."""
    gains = row["gain"] > max(row["model_error"], LEAST_GAIN) and not leans(row)
    return f" {WITHIN_CHANCE}" if gains and not _is_beyond_chance(row) else ""


def per_iteration(row: Row, op: str) -> str:
    """op: what iterations are counted by, which need not be the operation that a candidate is for."""
    return f"per iteration{' of' if row.get('operation') in (None, op) else ', counted by'} {op}"


def may_lose(row: Row) -> str:
    """That the interval of what is suggested reaches beyond what the run took."""
    (most,) = alike("ns", row["predicted_high_ns"])
    return f"A rerun may take up to {most}, which is more than this run took: {RUN_IT}."


class PartGain(NamedTuple):
    """What a part of a combination is good for: what iterations would take if it stayed as it is, ns, and by which
    share it shortens its own ones, which need not be bound to the others'."""

    without_ns: float
    own: float


def of_parts(labels: Sequence[str], best: Row, gains: Sequence[PartGain | None]) -> str:
    """What each part of a combination is good for, and what a rerun is expected to take. gains: None of a part that
    stays as it is."""
    rerun = interval(best["predicted_low_ns"], best["predicted_high_ns"], "ns")
    return f"A rerun is expected to take {rerun}. {each_of(labels, best, gains)}"


def each_of(labels: Sequence[str], best: Row, gains: Sequence[PartGain | None], filed: str = "rule") -> str:
    """What each part of a combination is good for. filed: what the file has for one."""
    said: list[str] = []
    for label, gain in zip(labels, gains, strict=True):
        if gain is None:
            said.append(f"{label} stays as it is")
        elif gain.without_ns * (1 - max(best["model_error"], LEAST_GAIN)) < best["predicted_ns"]:
            said.append(f"the {filed} for {label} shortens only the iterations of its own ranks, by {share(gain.own)}")
        else:
            said.append(f"without the {filed} for {label} it would take {duration(gain.without_ns)}")
    first = f"{said[0][0].upper()}{said[0][1:]}"
    return f"{'; '.join([first, *said[1:]])}."


def unpredicted(of: str, why: str, commands: Sequence[str]) -> str:
    """That nothing can be predicted, and what to run instead. of: what cannot."""
    return f"{of} cannot be predicted: {why}.{worth_a_run(commands)}"


def worth_a_run(commands: Sequence[str]) -> str:
    """What to run where nothing can be predicted. Begins with a space."""
    worth = ", ".join(f"`{command}`" for command in commands)
    return f" {WORTH}{worth}." if commands else f" {RERUN}"


def over_trees(op: str, why: str, words: Sequence[str], *, ran: str) -> str:
    """The same of trees and the engine's other algorithms. words: what `hopscope run --tree` knows them by."""
    said = unpredicted(op, why, [f"hopscope run --tree {word} -- ..." for word in words])
    if ran == LIBRARY:
        return f"{said} `--tried` then measures the gain over the MPI library, and predicts by the engine's costs."
    return f"{said} `analyze compare` then measures the gain."


def rounding_of(operations: Iterable[str]) -> str:
    """That results are rounded differently, if any of these operations reduces. Begins with a space."""
    return f" {ROUNDING}" if {*operations} & {*REDUCING} else ""


def limits_of(costs: Costs, untold: Iterable[tuple[str, str]], *, left_out: bool) -> str:
    """What an answer leaves out: candidates with messages of other sizes (`left_out`), operations and why (`untold`),
    and the turns of traces. Begins with a space where there is anything."""
    said = [_left_out_of(costs)] if left_out else []
    said += [f"{op} is left out: {why}." for op, why in untold]
    if costs.machine.has_traces:
        said.append("Every prediction takes the emulated traces' means, not their turns.")
    return "".join(f" {sentence}" for sentence in said)


def _left_out_of(costs: Costs) -> str:
    used = [link for link in costs.links.values() if link.hops]
    seen = f"at most {exact_size(int(max(link.most_bytes for link in used)))}"
    had = f"the hops had {seen}, too alike to tell what a byte takes"
    if any(link.off_ns for link in used):
        had = f"hops and probe had {seen}"
    return (
        "Segments, and algorithms that cut or gather messages, were not judged where their messages have sizes that "
        f"nothing measured: {had}."
    )


def measured_of(tried: Tried, op: str) -> str:
    """What a run over a tree gained over the MPI library, or lost to it."""
    over, library = alike("ns", tried.time_ns, tried.library_ns)
    itself, by_library = alike("ns", tried.took_ns, tried.library_took_ns)
    chance = f"{interval(tried.gain_low, tried.gain_high)} within these two runs"
    if tried.gains:
        outcome = f"{share(tried.gain)} less ({chance})"
    elif tried.loses:
        outcome = f"{_loser_of(tried)}, by {share(-tried.gain)} ({chance})"
    else:
        outcome = f"a gain of {share(tried.gain)}, which may be chance ({chance})"
    return (
        f"measured over {tried.tree}, an iteration of {op} took {over}, over the MPI library {library}: {outcome}. "
        f"From the last enter to the last leave, the collective itself took {itself} and {by_library} (medians)"
    )


def _loser_of(tried: Tried) -> str:
    if tried.has_same_algorithm:
        return f"both ran {tried.algorithm}, so Hopscope's engine loses to the library on this machine"
    if tried.algorithm and tried.library_algorithm:
        return f"{tried.algorithm} loses to the library's {tried.library_algorithm}"
    return f"{tried.tree} loses to the library's algorithm"


def leans_on(row: Row, guessed: Mapping[str, Guesses], hosts: Sequence[str]) -> str:
    """What a candidate uses that no hop measured, and what it would take by what others of the kind took."""
    guesses = guessed[row["name"]]
    parts: list[str] = []
    if guesses.pairs:
        pairs = _pairs_named(guesses, hosts)
        number = "a pair" if len(pairs) == 1 else f"{len(pairs)} pairs"
        parts.append(f"uses {number} of hosts that no hop measured ({_named(pairs)})")
    if guesses.interfaces:
        of = _named(list(dict.fromkeys(one.name for one in guesses.interfaces)))
        parts.append(f"sends long messages at once through interfaces that had one at a time in the run ({of})")
    if guesses.shared:
        of = _named([one.name for one in guesses.shared])
        parts.append(f"sends long messages at once over links that had one at a time in the run ({of})")
    if guesses.both_ways:
        of = _named([one.name for one in guesses.both_ways])
        parts.append(f"sends long messages both ways at once over links that had one way at a time in the run ({of})")
    if guesses.sizes:
        of = _named([exact_size(each) for each in guesses.bytes])
        parts.append(f"sends messages of {of}, of which the run had only far shorter and far longer ones")
    ends = row["predicted_low_ns"], row["alike_high_ns"]
    low, high, most = alike("ns", *ends, row["predicted_high_ns"])
    spread = low if low == high else interval(*ends, "ns")
    may_be = f"{spread} however slow that is"
    if high != most:
        may_be = f"{spread} if that is like what was measured, and up to {most} if it is as slow as it may be"
    return f"{' and '.join(parts)}: {may_be}"


def _pairs_named(guesses: Guesses, hosts: Sequence[str]) -> list[str]:
    """Pairs of hosts: `a-b`, or `a to b` where it is only that way."""
    both = {(a, b) for a, b in guesses.pairs if (b, a) in guesses.pairs}
    return [
        f"{hosts[a]}-{hosts[b]}" if (a, b) in both else f"{hosts[a]} to {hosts[b]}"
        for a, b in guesses.pairs
        if a < b or (a, b) not in both
    ]


def _named(names: Sequence[str]) -> str:
    rest = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {rest} more" if rest > 0 else "")
