"""Sentences on the cost of noise, and on its periods."""

from hopscope.format.quantities import duration, number, plural, share

from hopscope_dashboard.data.trace import Rows
from hopscope_dashboard.sentences.sentence import LEAST_COST, Sentence, of_ranks, rank_names


def of_noise(rows: Rows, path_ns: int) -> Sentence | None:
    """Say how much longer than usual computing took. `rows` are those of `analyze noise`, of which the last is for `any
    rank`; `path_ns` is the length of the run's critical path, 0 if there is none."""
    anyone = next((row for row in rows if not str(row["rank"]).isdigit()), None)
    if anyone is None or anyone["noise_ns"] is None:
        text = "Noise cannot be told apart from varying work."
        return Sentence(text, "No call site occurs often enough (20 times).")
    paid = anyone["paid_ns"] or 0
    part = paid / path_ns if path_ns else None
    cost = f", {share(part)} of its length" if part is not None else ""
    if not anyone["iterations"]:
        text = "Noise is undecided: there are no iterations to examine."
        return Sentence(text, f"{duration(paid)} of noise lie on the critical path{cost}.")
    noise_share = anyone["noise_share"] or 0
    iterations = plural(anyone["iterations"], "iteration")
    if noise_share < LEAST_COST and (part is None or part < LEAST_COST):
        return Sentence(f"Computing is steady: noise is {share(noise_share)} of it, over {iterations}.")
    # In short iterations no rank is 1 ms late, so the sentence gives the share of noise instead.
    makes = (
        f"some rank 1 ms late or more in {number(anyone['late_1ms'])} of {iterations}"
        if anyone["late_1ms"]
        else f"up {share(noise_share)} of the computing in {iterations}"
    )
    if part is not None and part < LEAST_COST:
        evidence = f"It makes {makes}; {duration(paid)} of it is on the critical path{cost}."
        return Sentence("Noise costs too little to matter.", evidence)
    return Sentence(f"Noise makes {makes}.", f"{duration(paid)} of it is on the critical path{cost}.")


def of_periods(rows: Rows) -> Sentence | None:
    """Name the ranks whose noise is periodic. `rows` are those of `analyze noise --by period`."""
    if not rows:
        return None
    periodic = sorted((row for row in rows if row["periodic"]), key=lambda row: -row["explained"])
    if periodic:
        first = periodic[0]
        opening = "Every" if len(periodic) == 1 else f"Clearest on rank {first['rank']}: every"
        iterations = first["whole_iterations"]
        origin = (
            "The period is not a whole number of iterations, so the program's loop does not cause it."
            if iterations is None
            else f"The run cannot tell that from {plural(iterations, 'iteration')}, so it may be the program's own."
        )
        return Sentence(
            f"The noise of {rank_names(periodic, 'rank')} is periodic.",
            f"{opening} {duration(first['period_ns'])} ± {duration(first['resolution_ns'])}, "
            f"{share(first['explained'])} of the noise's variance. {origin}",
            of_ranks(periodic),
        )
    if all(row["periodic"] is None for row in rows):
        return Sentence("The trace has too little noise to tell whether it is periodic.")
    return Sentence("No rank's noise is periodic.")
