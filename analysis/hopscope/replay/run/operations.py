"""The operations that remapping evaluates. For each of them, the engine has several algorithms."""

from __future__ import annotations

from hopscope.native import _plan

OPERATION = {operation.name: operation for operation in _plan.operations()}
ROOTED = tuple(name for name, operation in OPERATION.items() if operation.has_root)
REDUCING = tuple(name for name, operation in OPERATION.items() if operation.reduces)


def _has_choice(operation: str) -> bool:
    """True if the engine has several algorithms for the operation, or trees, which have several shapes."""
    rows = [row for row in _plan.algorithms() if operation in row.operations]
    return len(rows) > 1 or any(row.by_tree for row in rows)


OPERATIONS = tuple(name for name in OPERATION if _has_choice(name))
"""Operations that remapping evaluates."""


def has_bytes(operation: str) -> bool:
    """True if a tree file's rules can select calls of this operation by their bytes. They cannot for a barrier, which
    has no bytes, or for operations in which a rank knows only the length of its own block."""
    traits = OPERATION[operation]
    return traits.input != "nothing" and not traits.hides_bytes
