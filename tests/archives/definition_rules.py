"""Rules that other readers of OTF2 have for definitions: every name and reference is there, and the system tree is
complete."""

from typing import Any

from otf2.enums import GroupType, Paradigm, RegionRole
from violations import Violations

_REGISTRIES = ("strings", "attributes", "regions", "locations", "location_groups", "system_tree_nodes")


def check_definitions(definitions: Any, violations: Violations) -> None:
    """Note what is wrong with an archive's definitions."""
    _check_fields(definitions, violations)
    _check_clock(definitions, violations)
    _check_system_tree(definitions, violations)
    _check_communicators(definitions, violations)
    _check_regions(definitions, violations)


def _check_fields(definitions: Any, violations: Violations) -> None:
    """Every field can be read, as Pipit does, and every definition of these kinds has a name."""
    for registry in _REGISTRIES:
        for definition in getattr(definitions, registry):
            for field in definition._fields:
                getattr(definition, field.name)
            has_name = registry == "strings" or bool(definition.name)
            violations.require(has_name, "a definition has no name", f"{registry} {definition._ref}")


def _check_clock(definitions: Any, violations: Violations) -> None:
    clock = definitions.clock_properties
    violations.require(clock.timer_resolution > 0, "the clock has no resolution", clock.timer_resolution)
    violations.require(clock.trace_length > 0, "the trace has no length", clock.trace_length)


def _check_system_tree(definitions: Any, violations: Violations) -> None:
    roots = [node for node in definitions.system_tree_nodes if node.parent is None]
    violations.require(len(roots) == 1, "the system tree does not have one root", [root.name for root in roots])
    for node in definitions.system_tree_nodes:
        violations.require(bool(node.class_name), "a node of the system tree has no class", node.name)
        violations.require(_has_root(node), "a node of the system tree is its own ancestor", node.name)
    for group in definitions.location_groups:
        violations.require(group.system_tree_parent is not None, "a process is on no node", group.name)
    used_groups = {location.group._ref for location in definitions.locations if location.group is not None}
    for location in definitions.locations:
        violations.require(location.group is not None, "a thread is in no process", location.name)
    for group in definitions.location_groups:
        violations.require(group._ref in used_groups, "a process has no thread", group.name)


def _has_root(definition: Any) -> bool:
    """False if the definition's parents lead in a circle."""
    ancestors = {definition._ref}
    parent = definition.parent
    while parent is not None and parent._ref not in ancestors:
        ancestors.add(parent._ref)
        parent = parent.parent
    return parent is None


def _check_communicators(definitions: Any, violations: Violations) -> None:
    worlds = [
        group
        for group in definitions.groups
        if group.group_type == GroupType.COMM_LOCATIONS and group.paradigm == Paradigm.MPI
    ]
    violations.require(len(worlds) == 1, "there is not one group of all MPI locations", len(worlds))
    for group in worlds:
        processes = [location.group._ref for location in group.members]
        is_unique = len(set(processes)) == len(processes)
        violations.require(is_unique, "a process is twice among the MPI locations", group.name)
    for group in definitions.groups:
        members = [member._ref for member in group.members]
        violations.require(len(set(members)) == len(members), "a group has a member twice", group.name)
    for comm in definitions.comms:
        violations.require(_has_root(comm), "a communicator is its own ancestor", comm.name)


def _check_regions(definitions: Any, violations: Violations) -> None:
    for region in definitions.regions:
        violations.require(bool(region.canonical_name), "a region has no canonical name", region.name)
        has_kind = region.region_role != RegionRole.UNKNOWN and region.paradigm != Paradigm.UNKNOWN
        violations.require(has_kind, "a region has no role or paradigm", region.name)
