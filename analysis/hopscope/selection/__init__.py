"""Selects a part of a run, by `--from`, `--to`, `--ranks`, `--comm`, `--operation`, `--region` and `--place`, for every
analysis at once.

An analysis reads views with the names of the dataset's tables. For a part of the run, each view has only the rows in
that part. `whole_TABLE` is the whole table, for shares of the run and for earlier events. These rules say what is in a
part:

* The run's one critical path is clipped; no other path is computed. Options other than times keep the stretches on
  those ranks, in those calls (for a place, also the computing that led to them), or in those regions.
* A collective is in a part if its last member entered there. All its calls, hops and steps come with it: who waited for
  whom, and what is usual, still depends on all members. With ranks, it is enough that one of them takes part.
* A message is in a part if it was received there. It belongs to the calls that sent it, posted its receive or waited
  for one of these. An interval is clipped.
* If each row of an answer is about one rank, the rows of the ranks that were asked for are kept.
"""

from hopscope.selection.misread import misread
from hopscope.selection.options import OPTIONS, WHOLE_RUN, Ask, Selection, about_the_whole_run, find, split
from hopscope.selection.rows import of_ranks
from hopscope.selection.views import VISITS, Part, quoted

__all__ = [
    "OPTIONS",
    "VISITS",
    "WHOLE_RUN",
    "Ask",
    "Part",
    "Selection",
    "about_the_whole_run",
    "find",
    "misread",
    "of_ranks",
    "quoted",
    "split",
]
