"""Ids of the overview."""

FINDINGS = "findings"
KEY_FIGURES = "key-figures"
PATH_BAR = "critical-path-bar"
PATH_TABLE = "critical-path-table"
REGIONS = "regions-table"
BY_OPERATION = "critical-path-by-operation"
