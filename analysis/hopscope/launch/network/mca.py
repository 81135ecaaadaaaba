"""Reconciles the MCA parameters of the user's command line with those that a network needs.

Open MPI 4 refuses a parameter that is given twice, and release 5 one with two values. So the user's parameter replaces
ours if messages still go over the network with it. Otherwise it is an error.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from hopscope.errors import InputError
from hopscope.launch.command import MCA_OPTION, launcher_options

_FREE = {"mpi_yield_when_idle", "orte_tmpdir_base", "prte_tmpdir_base"}
"""Parameters that may have any value: the job still runs on the network, although our values are better."""
_SHARED_MEMORY = {"vader", "sm"}
_EXCLUDES = {"btl_tcp_if_exclude": "btl_tcp_if_include"}
"""Parameters that exclude interfaces, with the one of ours that includes interfaces. Open MPI does not take both."""


class _Parameter(NamedTuple):
    position: int
    """Position of the option among the launcher's words."""
    option: str
    name: str
    value: str

    def __str__(self) -> str:
        return f"{self.option} {self.name} {self.value}"


def reconcile(words: Sequence[str], network_words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The network's words without parameters that the command line sets itself, and the command line without needless
    exclusions. An exclusion, such as `btl ^openib`, is needless if the network's own value has none of its components.

    Raises InputError for a parameter that does not fit the network.
    """
    requirements = {parameter.name: parameter for parameter in _parameters(network_words)}
    overrides = [
        parameter
        for parameter in _parameters(launcher_options(words), 1)
        if {parameter.name, _EXCLUDES.get(parameter.name)} & requirements.keys()
    ]
    for name, opposite in _EXCLUDES.items():
        value = os.environ.get(f"OMPI_MCA_{name}")
        if opposite in requirements and value is not None:
            raise InputError(
                f"OMPI_MCA_{name}={value} is set, which Open MPI does not take beside {opposite}, and --net needs "
                f"`{requirements[opposite]}`; unset it"
            )
    excluding = [parameter for parameter in overrides if _excludes_others(parameter, requirements)]
    staying = [parameter for parameter in overrides if parameter not in excluding]
    for parameter in staying:
        if not _fits(parameter, requirements):
            _refuse(parameter, requirements)
    dropped = {place for parameter in excluding for place in range(parameter.position, parameter.position + 3)}
    left_out = {
        place
        for name in {parameter.name for parameter in staying}
        for place in range(requirements[name].position, requirements[name].position + 3)
    }
    return (
        [word for place, word in enumerate(network_words) if place not in left_out],
        [word for place, word in enumerate(words) if place not in dropped],
    )


def _parameters(options: Sequence[str], first: int = 0) -> Iterator[_Parameter]:
    """The MCA parameters among options. first: the position of the first word."""
    place = 0
    while place + 2 < len(options):
        option, name, value = options[place : place + 3]
        if MCA_OPTION.fullmatch(option):
            yield _Parameter(first + place, option, name, value)
            place += 2
        place += 1


def _fits(parameter: _Parameter, requirements: Mapping[str, _Parameter]) -> bool:
    if parameter.name not in requirements:
        return False
    if parameter.name == "btl":
        components = set(parameter.value.split(","))
        return {"tcp", "self"} <= components <= {"tcp", "self", *_SHARED_MEMORY}
    return parameter.name in _FREE or parameter.value == requirements[parameter.name].value


def _excludes_others(parameter: _Parameter, requirements: Mapping[str, _Parameter]) -> bool:
    """Tells whether the parameter only excludes components that the network does not need."""
    if parameter.name in _EXCLUDES:
        return requirements[_EXCLUDES[parameter.name]].value not in parameter.value.split(",")
    if not parameter.value.startswith("^"):
        return False
    return set(parameter.value[1:].split(",")).isdisjoint(requirements[parameter.name].value.split(","))


def _refuse(parameter: _Parameter, requirements: Mapping[str, _Parameter]) -> None:
    requirement = requirements[_EXCLUDES.get(parameter.name, parameter.name)]
    components = (
        "btl with tcp and self, and no more than vader or sm beside them"
        if parameter.name == "btl"
        else f"`{requirement}`"
    )
    raise InputError(
        f"the launcher's option `{parameter}` does not fit --net, whose hosts reach one another only with "
        f"{components}; drop it, for --net adds `{requirement}` itself"
    )
