"""Runs the program algorithm_names with rules that select Open MPI's algorithms. It prints each check that fails."""

import unittest

from case import Case, ranks

RULES = """3     # operations
2             # Allreduce
1
2
2
0 6 0 0       # Rabenseifner
8192 2 0 0    # Reduce and Bcast
6             # Barrier
1
2
1
0 2 0 0       # double ring
7             # Bcast
1
2
2
0 1 0 0       # linear
8192 9 0 0    # scatter and ring
"""


class AlgorithmNames(Case):
    def run_with(self, **settings: str) -> str:
        rules = self.home / "rules"
        rules.write_text(RULES)
        settings |= {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1"}
        settings |= {"OMPI_MCA_coll_tuned_dynamic_rules_filename": str(rules)}
        code = 0 if "HOPSCOPE_NATIVE_NAMES" not in settings else None
        words = ranks(4, "algorithm_names", preload=False)
        return self.launch(*words, code=code, HOPSCOPE_NATIVE="1", **settings).stderr

    def test_each_call_has_the_name_of_its_own_algorithm(self) -> None:
        self.run_with()

    def test_there_are_none_if_they_are_not_wanted(self) -> None:
        reports = self.run_with(HOPSCOPE_NATIVE_NAMES="0")
        self.assertIn("not true: doublering", reports)
        self.assertIn("not true: Open MPI's calls go through the collector", reports)
        self.assertNotIn("not true: not known", reports)
        self.assertNotIn("no longer", reports)


if __name__ == "__main__":
    unittest.main()
