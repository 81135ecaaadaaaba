"""Critical paths: which messages bind, what each waited for, and the walks that SQL aggregates.

The walking is compiled (`hopscope._paths`); this package hands it columns and gives its answers their names.
"""

from hopscope.paths.derive import derive

__all__ = ["derive"]
