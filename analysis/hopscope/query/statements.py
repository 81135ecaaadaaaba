"""Writes the SQL of the catalog for a part of a run: the statements that make views, and all SQL behind an answer."""

from collections.abc import Iterable

from hopscope.native import _paths
from hopscope.query import bootstrap
from hopscope.query.catalog import Analysis, Catalog, Scalar, Source
from hopscope.selection import VISITS, Part, quoted
from hopscope.vocabulary.links import LINKS
from hopscope.vocabulary.words import ANSWERED_CATEGORIES, UNKNOWN_PLACE

WHOLE = "whole_"
"""Prefix of the names of tables and views that no part of the run restricts."""


class Statements:
    """Statements over the tables of a dataset, for a part of its run."""

    def __init__(self, catalog: Catalog, part: Part, tables: Iterable[str]) -> None:
        self.catalog = catalog
        self.part = part
        self._tables = sorted(tables)

    def table(self, name: str) -> str:
        """The name of a whole table in the database. If only a part of the run is asked for, the table's plain name
        belongs to a view of that part."""
        return WHOLE + name if self.part.is_restricted() else name

    def opening(self) -> str:
        """The statements that come before any view: the shared macros, the views that restrict tables to the part, and
        second names `whole_TABLE` for unrestricted tables."""
        views = self._part_views() if self.part.is_restricted() else _whole_views(self._tables)
        return "\n".join([*_shared_macros(self.part), *views])

    def _part_views(self) -> list[str]:
        """The statements that restrict the tables to the part."""
        views = [] if self.part.region is None else [VISITS]
        views += [self.catalog.sources[name].sql for name in self.part.rests_on()]
        # Collectives first, because other tables are restricted by them.
        for name in sorted(self._tables, key=lambda name: (name != "collectives", name)):
            views.append(f"create or replace view {name} as {self.part.view(name) or f'from {WHOLE}{name}'};")
        return views

    def sql_of(self, source: Source) -> str:
        """The statement that makes a view or macro, for the part that is asked for."""
        body = self.part.view(source.name) if self.part.is_restricted() else None
        return f"create or replace view {source.name} as {body};" if body else source.sql

    def text_of(self, target: Source) -> str:
        """All SQL behind an analysis or view: the views of the part that is asked for, all views that it uses, and its
        own text."""
        texts = [target.sql, *(self.sql_of(source) for source in self.catalog.ordered(target.uses))]
        text = "\n\n".join(reversed(texts))
        if not self.part.is_restricted() or target.name.startswith(WHOLE):
            return "\n\n".join([*_shared_macros(self.part, text), text])
        return "\n\n".join([*_shared_macros(self.part), *self._part_views(), text])

    def shown(self, questions: Iterable[tuple[Analysis, dict[str, Scalar]]]) -> str:
        """The SQL of analyses for people: macros and views first, then each query with its parameters as comments."""
        text = "\n\n".join(self._shown(analysis, parameters) for analysis, parameters in questions)
        tables = [name for name in self._tables if WHOLE + name in text]
        if self.part.is_restricted():
            views = [f"-- {WHOLE}{name} is the whole table {name} of the dataset." for name in tables]
            views += self._part_views()
        else:
            views = _whole_views(tables)
        return "\n\n".join(filter(None, ("\n".join(_shared_macros(self.part, text)), "\n".join(views), text)))

    def _shown(self, analysis: Analysis, parameters: dict[str, Scalar]) -> str:
        parts = [self.sql_of(source) for source in self.catalog.ordered(analysis.uses)]
        values = "".join(f"-- ${name} = {value!r}\n" for name, value in parameters.items())
        return "\n\n".join([*parts, values + analysis.sql])


def _shared_macros(part: Part, text: str | None = None) -> list[str]:
    """The macros that give SQL the constants of C++ and Python code. With a `text`, only those that it uses. They give:
    the link class of two ranks, the lists of all link classes and path categories in their order, the name of an
    unknown place, the constants of the bootstrap, and the part of the run that is asked for."""
    cases = " ".join(f"when {condition} then {quoted(word)}" for word, condition in _paths.LINK_CLASSES)
    shared = {
        "link_class(one_rank, one_host, one_cluster, other_rank, other_host, other_cluster)": (
            f"(case {cases} else {quoted(LINKS[-1])} end)"
        ),
        "link_classes()": f"[{', '.join(map(quoted, LINKS))}]",
        "path_categories()": f"[{', '.join(map(quoted, ANSWERED_CATEGORIES))}]",
        "unknown_place()": quoted(UNKNOWN_PLACE),
        "bootstrap_draws()": str(bootstrap.DRAWS),
        "bootstrap_least_blocks()": str(bootstrap.LEAST_BLOCKS),
        "interval_ends()": f"[{', '.join(map(str, bootstrap.ENDS))}]",
        **part.macros(),
    }
    return [
        f"create or replace macro {signature} as {body};"
        for signature, body in shared.items()
        if text is None or signature.partition("(")[0] + "(" in text
    ]


def _whole_views(tables: Iterable[str]) -> list[str]:
    """The statements that give unrestricted tables their second names `whole_TABLE`."""
    return [f"create or replace view {WHOLE}{name} as from {name};" for name in tables]
