"""One finding of an examination: a sentence, how serious it is, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hopscope.errors import InputError

State = Literal["ok", "caution", "problem"]
Topic = Literal[
    "MPI library",
    "collector",
    "native hops",
    "launcher",
    "trial",
    "cores",
    "/dev/shm",
    "trace folder",
    "permissions",
    "installation",
]


@dataclass(frozen=True)
class Finding:
    """A finding. A problem keeps a run from being traced: a run under one library if `library` is given, else any
    run."""

    topic: Topic
    state: State
    sentence: str
    remedy: str | None = None
    library: str | None = None
    """The file of the MPI library that it is about."""


def finding_of(topic: Topic, state: State, message: str | InputError, library: str | None = None) -> Finding:
    """The finding of a message whose remedy follows its first semicolon, as in errors."""
    sentence, _, remedy = str(message).partition("; ")
    if isinstance(message, InputError):
        sentence = sentence[:1].upper() + sentence[1:]
    return Finding(topic, state, sentence, remedy or None, library)
