"""Compiled walks and replays; built from analysis/native/paths."""

from typing import Any

import numpy as np

def walk(arrays: dict[str, np.ndarray[Any, Any]]) -> dict[str, np.ndarray[Any, Any]]: ...
