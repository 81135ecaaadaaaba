"""Compiled replays of a recorded run with changes; built from analysis/native/causal."""

from typing import Any

import numpy as np

class Run:
    def __init__(self, columns: dict[str, np.ndarray[Any, Any]]) -> None: ...
    @property
    def recorded_ns(self) -> int: ...
    def times_with(self, changes: dict[str, Any], cuts: list[int]) -> list[int]: ...
