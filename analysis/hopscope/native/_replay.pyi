"""Compiled replay of schedules; built from analysis/native/replay."""

from typing import Any, TypedDict

import numpy as np

from hopscope.native._plan import Schedules

class Replayed(TypedDict):
    enter_ns: np.ndarray[Any, np.dtype[np.float64]]  # per row of the program's `member`; NaN: not reached
    leave_ns: np.ndarray[Any, np.dtype[np.float64]]
    hops: int  # messages of schedules that arrived
    finished: bool  # False: ranks wait for each other for ever

def replay(program: dict[str, np.ndarray[Any, Any]], schedules: list[Schedules], costs: dict[str, Any]) -> Replayed: ...
