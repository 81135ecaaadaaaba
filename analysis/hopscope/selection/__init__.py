"""A part of a run: what `--from`, `--to`, `--ranks`, `--comm`, `--operation`, `--region` and `--place` select, for
every analysis at once.

An analysis asks views called as the tables of the dataset are. For a part, these views hold what lies in it, and
`whole_TABLE` is the whole table, for shares of the run and for what came before. What lies in a part:

* The run's one critical path is clipped; no other path is walked. The other options take the stretches on those ranks,
  in those calls (with the computing that led to them, for a place), or in those regions.
* A collective lies where its last member entered. All its calls, hops and steps come with it: who waited for whom, and
  what is usual, is still judged over all members. With ranks: the collectives that one of them takes part in.
* A message lies where it was received, and in the calls that sent it, posted its receive or waited for either. An
  interval is clipped.
* Rows that are about one rank each are those of the ranks asked for.
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
