"""What is said of the algorithms of an MPI library: which one to set, or to leave it as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hopscope.quantities import alike, interval, share
from hopscope.remap.guesses import Guesses
from hopscope.remap.verdict import ADVICE, LIBRARY, RUN_IT, Row, leans, leans_on

ENGINE = "Hopscope's engine"


def setting_sentence(
    rows: Sequence[Row],
    op: str,
    guessed: Mapping[str, Guesses],
    hosts: Sequence[str],
    *,
    library: str,
    ran: str,
    unknown: str | None = None,
) -> str:
    """rows: those that were judged, in the order of `judge`, with the ends of their gains. guessed: what each candidate
    leans on without a measurement, by its name. library: as in `Open MPI 5.0.11`. ran: LIBRARY or ENGINE. unknown:
    why nothing can be predicted, if so."""
    best, today = rows[0], next(row for row in rows if row["today"])
    others = [row for row in rows if not row["today"]]
    took, replayed = alike("ns", best["measured_ns"], today["predicted_ns"])
    run = (
        f"The run took {took} per iteration by {ran}, and its replay {replayed}, so the model errs by "
        f"{share(best['model_error'])}."
    )
    if unknown is not None:
        return f"Leave {op} as it is: {unknown}. {run}"
    if best["chosen"]:
        said = f"{_predicted(best, op, library)}. {run}"
        if leans(best):
            said += f" It {leans_on(best, guessed, hosts)}: {ADVICE if guessed[best['name']].pairs else RUN_IT}."
    elif others:
        fastest = min(others, key=lambda row: row["predicted_ns"])
        said = f"Leave {op} as it is: of what {library} has, {_predicted(fastest, op, None)}. {run}"
        if leans(fastest):
            said += f" It {leans_on(fastest, guessed, hosts)}."
    else:
        said = f"Leave {op} as it is: nothing that {library} has for it can be predicted. {run}"
    if ran != LIBRARY:
        said += f" {library}'s own choice did not run here: trace the program without a tree to see what that takes."
    return said


def _predicted(row: Row, op: str, library: str | None) -> str:
    of = f" of {library}" if library else ""
    (took,) = alike("ns", row["predicted_ns"])
    within = interval(row["predicted_low_ns"], row["predicted_high_ns"], "ns")
    gains = row["gain"] >= 0
    ends = (row["gain_low"], row["gain_high"]) if gains else (-row["gain_high"], -row["gain_low"])
    much = f"{share(abs(row['gain']))} {'less' if gains else 'more'} ({interval(*ends)})"
    return f"{row['name']}{of} would take {took} ({within}) per iteration of {op}, {much}"
