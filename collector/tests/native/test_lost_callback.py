"""Runs the program lost_callback, which prints each check that fails."""

import unittest

from case import Case, ranks


class LostCallback(Case):
    def test_the_end_of_a_request_that_did_not_call_back_is_recorded_once(self) -> None:
        self.launch(*ranks(1, "lost_callback", preload=False), HOPSCOPE_NATIVE="1")


if __name__ == "__main__":
    unittest.main()
