"""Methods of a trace whose answers SQL does not compute: other trees and rank orders, and outcomes of gates."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from hopscope.gate import Outcome, evaluate, parse
from hopscope.query.answer import Answer
from hopscope.query.runner import Runner


class Computed:
    """The base class of `hopscope.Trace` with these methods."""

    path: Path
    dataset: Path
    _lean: bool
    _runner: Runner

    if TYPE_CHECKING:  # `hopscope.Trace` defines these

        @property
        def _whole(self) -> Any: ...

        def answer(self, command: str, **options: Any) -> Answer:
            """Run an analysis by its command's name."""
            ...

    def gate(
        self, expression: str, command: str = "diagnose", *, baseline: "Computed | None" = None, **options: Any
    ) -> Outcome:
        """Evaluate a gate on an analysis, as `--fail-if` does: `trace.gate("problem.cost_share > 10%")`.

        options: those of the analysis, such as `base` of `compare`. baseline: the trace that the word `baseline` means
        in the gate. Raises InputError for a gate that does not parse or does not fit the analysis.
        """
        gate = parse(expression)
        answer = self.answer(command, **options)
        base = None if baseline is None else baseline.answer(command, **options).rows
        return evaluate(gate, answer.analysis, answer.rows, base)

    def remap(self, output: Path | None = None, **options: Any) -> pa.Table:
        """Candidates with their predicted times. Writes the best one to `output`. See `hopscope.advice.remap.remap`."""
        from hopscope.advice.remap import remap  # imported late, because fitting needs scipy

        whole = self._whole
        return remap(whole, output, **options) if output is not None or options else whole._cached("remap", remap)

    def reorder(self, output: Path | None = None, *, launcher: str | None = None) -> pa.Table:
        """The recorded rank order and a better one on the same hosts, with the messages of both.

        output: the file for the better order, if there is one, in the launcher's format. launcher: one of
        `rank_files.LAUNCHERS`, by default that of the run's MPI library. Raises InputError if no order can be found, or
        if the launcher is unknown.
        """
        from hopscope.advice.remap import reorder  # imported late, as in remap

        whole = self._whole
        suggestion, _ = reorder(whole, output, launcher=launcher, mpi_library=whole.run_facts.get("mpi_library"))
        return suggestion.table

    def _cached(self, name: str, compute: Callable[[Any], pa.Table]) -> pa.Table:
        """Compute a table about the whole run. If the run is long, the table is kept, and a server computes it in
        another process."""
        has_worker = self._lean and self._runner.cache.is_of_long_run

        def computed() -> pa.Table:
            from hopscope.query import worker  # imported late, because most commands start no process

            if not has_worker:
                return compute(self)
            return worker.compute(_of_dataset, compute, type(self), self.path, self.dataset)

        return self._runner.cache.recall(name, {}, computed)


def _of_dataset(
    compute: Callable[[Any], pa.Table], trace: Callable[[Path, Path], Any], path: Path, dataset: Path
) -> pa.Table:
    return compute(trace(path, dataset))
