"""Runs frames_of_this_python.py under each Python of this machine."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER.parents[2] / "tools"))

import check_pythons  # noqa: E402 - found by the path set above

SERVED = range(11, 15)


class Frames(unittest.TestCase):
    """Compares frames under each Python."""

    def test_frames_are_read_in_each_python_that_is_here(self):
        current = {sys.version_info.minor: sys.executable}
        pythons = {minor: check_pythons.find(minor) or current.get(minor) for minor in SERVED}
        environment = dict(os.environ)
        if "HOPSCOPE_TEST_SANITIZER" in environment:
            environment["LD_PRELOAD"] = environment["HOPSCOPE_TEST_SANITIZER"]
        for minor, python in pythons.items():
            print(f"Python 3.{minor}: {python or 'not found here'}")
            if python:
                with self.subTest(python=python):
                    words = [python, str(FOLDER / "frames_of_this_python.py")]
                    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
                    self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(any(pythons.values()), "no Python is here whose frames could be read")


if __name__ == "__main__":
    unittest.main()
