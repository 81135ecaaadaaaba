"""Compiled walks and replays; built from analysis/native/paths."""

from typing import Any

import numpy as np

def walk(arrays: dict[str, np.ndarray[Any, Any]]) -> dict[str, np.ndarray[Any, Any]]: ...
def replay(
    program: dict[str, np.ndarray[Any, Any]], candidate: dict[str, Any], costs: dict[str, Any]
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], bool]: ...
