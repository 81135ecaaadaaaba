"""MCA parameters that the user's own command line sets for Open MPI, beside those that a network needs.

Open MPI 4 refuses a parameter that stands twice on its command line, release 5 one with two values. So what the user
gives stays and ours is left out where both lead over the network, and what leads past it is an error.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from hopscope.errors import InputError
from hopscope.launch.command import MCA_OPTION, launcher_options

_FREE = {"mpi_yield_when_idle", "orte_tmpdir_base", "prte_tmpdir_base"}
"""Better set as we do, but a job runs on the network with any value."""
_SHARED_MEMORY = {"vader", "sm"}
_EXCLUDES = {"btl_tcp_if_exclude": "btl_tcp_if_include"}
"""Parameters that Open MPI does not take beside one of ours, which says the same the other way round."""


class _Given(NamedTuple):
    at: int
    """Of the option among the launcher's words."""
    option: str
    name: str
    value: str

    def __str__(self) -> str:
        return f"{self.option} {self.name} {self.value}"


def beside(words: Sequence[str], ours: Sequence[str]) -> tuple[list[str], list[str]]:
    """Our words without the parameters that the command line sets itself, and the command line without exclusions, such
    as `btl ^openib`, which our own value keeps to.

    Raises InputError for a parameter that the network cannot do with.
    """
    needed = {one.name: one for one in _given(ours)}
    given = [one for one in _given(launcher_options(words), 1) if {one.name, _EXCLUDES.get(one.name)} & needed.keys()]
    for name, of in _EXCLUDES.items():
        value = os.environ.get(f"OMPI_MCA_{name}")
        if of in needed and value is not None:
            raise InputError(
                f"OMPI_MCA_{name}={value} is set, which Open MPI does not take beside {of}, and --net needs "
                f"`{needed[of]}`; unset it"
            )
    excluding = [one for one in given if _excludes_others(one, needed)]
    staying = [one for one in given if one not in excluding]
    for one in staying:
        if not _fits(one, needed):
            _refuse(one, needed)
    dropped = {place for one in excluding for place in range(one.at, one.at + 3)}
    left_out = {
        place for name in {one.name for one in staying} for place in range(needed[name].at, needed[name].at + 3)
    }
    return (
        [word for place, word in enumerate(ours) if place not in left_out],
        [word for place, word in enumerate(words) if place not in dropped],
    )


def _given(options: Sequence[str], first: int = 0) -> Iterator[_Given]:
    """first: the place of the first word."""
    place = 0
    while place + 2 < len(options):
        option, name, value = options[place : place + 3]
        if MCA_OPTION.fullmatch(option):
            yield _Given(first + place, option, name, value)
            place += 2
        place += 1


def _fits(one: _Given, needed: Mapping[str, _Given]) -> bool:
    if one.name not in needed:
        return False
    if one.name == "btl":
        components = set(one.value.split(","))
        return {"tcp", "self"} <= components <= {"tcp", "self", *_SHARED_MEMORY}
    return one.name in _FREE or one.value == needed[one.name].value


def _excludes_others(one: _Given, needed: Mapping[str, _Given]) -> bool:
    """Whether it only takes away what our own value does not have."""
    if one.name in _EXCLUDES:
        return needed[_EXCLUDES[one.name]].value not in one.value.split(",")
    if not one.value.startswith("^"):
        return False
    return set(one.value[1:].split(",")).isdisjoint(needed[one.name].value.split(","))


def _refuse(one: _Given, needed: Mapping[str, _Given]) -> None:
    ours = needed[_EXCLUDES.get(one.name, one.name)]
    wanted = "btl with tcp and self, and no more than vader or sm beside them" if one.name == "btl" else f"`{ours}`"
    raise InputError(
        f"the launcher's option `{one}` does not fit --net, whose hosts reach one another only with {wanted}; drop "
        f"it, for --net adds `{ours}` itself"
    )
