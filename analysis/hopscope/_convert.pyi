"""Reading OTF2 archives; built from analysis/native/convert."""

from collections.abc import Callable
from typing import Any

class ArchiveError(Exception): ...

class ArrowTable:
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

def convert(
    anchor: str, progress: Callable[[str, int, int], None] | None = None, batch_rows: int = 4194304
) -> tuple[dict[str, ArrowTable], dict[str, Any]]: ...
