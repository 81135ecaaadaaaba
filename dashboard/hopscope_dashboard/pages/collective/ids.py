"""Ids of the timeline of one collective."""

TIMELINE = "timeline"
PATH_TABLE = "path-table"
FACTS = "collective-facts"
