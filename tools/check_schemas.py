"""Checks every file of schemas/ against the JSON Schema dialect that it names."""

import json
import sys
from pathlib import Path

import jsonschema

SCHEMAS = Path(__file__).parents[1] / "schemas"


def main() -> int:
    """Check all schemas; print the first fault of each bad one."""
    bad = 0
    for path in sorted(SCHEMAS.rglob("*.schema.json")):
        schema = json.loads(path.read_text())
        try:
            jsonschema.Draft202012Validator.check_schema(schema)
        except jsonschema.SchemaError as error:
            print(f"{path.relative_to(SCHEMAS.parent)}: at {error.json_path}: {error.message}", file=sys.stderr)
            bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
