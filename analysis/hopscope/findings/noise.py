"""What noise costs, and whether it is periodic."""

from collections.abc import Sequence

from hopscope.findings.finding import LEAST_COST, WORTH_SAYING, Finding, Row, Run, named, of_ranks
from hopscope.part.notes import missing_iterations
from hopscope.quantities import duration, number, plural, share


def of_noise(rows: Sequence[Row], run: Run) -> Finding | None:
    """Say how much computing took longer than usual. Rows as noise gives them, the last for any rank."""
    anyone = next((row for row in rows if not str(row["rank"]).isdigit()), None)
    if anyone is None or anyone["noise_ns"] is None:
        return Finding(
            "too-seldom",
            "undecided",
            "Noise cannot be told apart from varying work.",
            "The program reaches no place often enough (20 times).",
            "noise",
            unit="share",
        )
    paid = anyone["paid_ns"] or 0
    part = paid / run.loop_path_ns if run.loop_path_ns else None
    whole = "the loop's length" if anyone["iterations"] else "its length"
    cost = f", {share(part)} of {whole}" if part is not None else ""
    if not anyone["iterations"]:
        reason = missing_iterations(run.iterations, run.most_calls)
        evidence = f"{reason[0].upper()}{reason[1:]}. {duration(paid)} of noise lie on the critical path{cost}."
        sentence = "Noise is undecided: there are no iterations to examine."
        return Finding("no-iterations", "undecided", sentence, evidence, "noise", unit="share")
    noise_share = anyone["noise_share"] or 0
    if noise_share < LEAST_COST and (part is None or part < LEAST_COST):
        sentence = f"Computing is steady: noise is {share(noise_share)} of it."
        evidence = f"{plural(anyone['iterations'], 'iteration')} examined."
        return Finding("steady", "fine", sentence, evidence, "noise", part, "share")
    # No iteration of a run with short ones is 1 ms late: the share shows its noise.
    makes = (
        f"some rank 1 ms late or more in {number(anyone['late_1ms'])} of {plural(anyone['iterations'], 'iteration')}"
        if anyone["late_1ms"]
        else f"up {share(noise_share)} of the computing in {plural(anyone['iterations'], 'iteration')}"
    )
    if part is not None and part < LEAST_COST:
        evidence = f"It makes {makes}, but the critical path paid for {duration(paid)} of it{cost}."
        return Finding("little", "fine", "Noise costs too little to matter.", evidence, "noise", part, "share")
    return Finding(
        "late",
        "problem" if part is not None and part >= WORTH_SAYING else "note",
        f"Noise makes {makes}.",
        f"{duration(paid)} of it were paid for on the critical path{cost}.",
        "noise",
        part,
        "share",
        part,
    )


def of_periods(rows: Sequence[Row]) -> Finding | None:
    """Name the ranks whose noise is periodic. Rows as noise-periods gives them."""
    if not rows:
        return None
    more = "noise-periods"
    found = sorted((row for row in rows if row["periodic"]), key=lambda row: -row["explained"])
    if found:
        first = found[0]
        every = "Every" if len(found) == 1 else f"Clearest on rank {first['rank']}: every"
        own = first["whole_iterations"]
        evidence = (
            f"{every} {duration(first['period_ns'])}, give or take {duration(first['resolution_ns'])}, with "
            f"{share(first['explained'])} of the noise's variance. "
        )
        evidence += (
            "The period is not a whole number of iterations, so the program's loop does not cause it."
            if own is None
            else f"The run cannot tell that from {plural(own, 'iteration')}, so it may be the program's own."
        )
        sentence = f"The noise of {named(found, 'rank')} is periodic."
        return Finding("periodic", "note", sentence, evidence, more, first["explained"], "share", part=of_ranks(found))
    judged = [row for row in rows if row["periodic"] is not None]
    if not judged:
        sentence = "The trace has too little noise to tell whether it is periodic."
        evidence = "No rank has enough iterations with noise in them."
        return Finding("too-little", "undecided", sentence, evidence, more, unit="share")
    evidence = f"Looked at {plural(len(judged), 'rank')}: none has a peak that noise without a period would not show."
    return Finding("none", "fine", "No rank's noise is periodic.", evidence, more, 0, "share")
