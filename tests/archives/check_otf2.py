"""Checks archives against the rules of OTF2's other readers (reader_rules.py).

    check_otf2.py [ARCHIVE ...] [--sample N] [--seed N]

Without archives: all sample traces, or N of them. Prints what is wrong, and a line at the end. Exits with 1 if anything
is wrong.
"""

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

import drawn_sample
from reader_rules import violations_of

SAMPLES = Path(__file__).parents[2] / "sample_traces"


def anchors(names: list[Path]) -> list[Path]:
    """The anchor files of archives, which may be named by a folder."""
    return [path for name in names for path in ([name] if name.is_file() else sorted(name.rglob("traces.otf2")))]


def main() -> int:
    """Check the archives of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", nargs="*", type=Path)
    drawn_sample.add_options(parser)
    options = parser.parse_args()
    archives = drawn_sample.drawn_items(anchors(options.archives or [SAMPLES]), options)
    wrong = 0
    with ProcessPoolExecutor() as pool:
        for archive, violations in zip(archives, pool.map(violations_of, archives), strict=True):
            wrong += bool(violations)
            for violation in violations:
                print(f"{archive}: {violation}", flush=True)
    print(f"{len(archives)} archives, {wrong} of them with something wrong")
    return 1 if wrong or not archives else 0


if __name__ == "__main__":
    raise SystemExit(main())
