"""Reading OTF2 archives; built from analysis/native/convert."""

from collections.abc import Callable
from typing import Any

class ArchiveError(Exception): ...

class ArrowTable:
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class Reader:
    def __init__(
        self,
        anchor: str,
        scratch_directory: str,
        piece_events: int = 524288,
        piece_rows: int = 131072,
        batch_rows: int = 4194304,
    ) -> None: ...
    def next(self, progress: Callable[[str, int, int], None] | None = None) -> list[tuple[str, ArrowTable]] | None: ...
    def facts(self) -> dict[str, Any]: ...
