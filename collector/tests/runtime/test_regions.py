"""Tests user regions, pausing and resuming the recording, and calls that the program leaves by a jump."""

from __future__ import annotations

import unittest
from collections import Counter

from case import NAMES, Case, calls
from read_spool import Run, Spool


class Jumps(Case):
    def test_a_call_that_was_jumped_out_of_does_not_end_the_recording(self) -> None:
        run, _ = self.both_ways(2, "jumps")
        self.assert_whole(run, 2)
        for rank in range(2):
            spool = run.of(rank)[0]
            entered = Counter(NAMES[r.region] for r in spool.of("ENTER"))
            expected = {"MPI_Init": 1, "MPI_Send": 5, "MPI_Barrier": 3, "MPI_Finalize": 1}
            self.assertEqual(entered, expected)


class Regions(Case):
    def names(self, run: Run, spool: Spool) -> list[str]:
        """Returns a spool's records as words, in order: + and a name for the begin of a region, - and a name for its
        end, the function of a call, OFF and ON for gaps."""
        name_of = {d["id"]: d["name"] for d in run.defs(spool.rank, "region")}
        sequence = []
        for r in spool.of("REGION_BEGIN", "REGION_END", "ENTER", "OFF", "ON"):
            if r.kind.startswith("REGION"):
                sequence.append(("+" if r.kind == "REGION_BEGIN" else "-") + name_of[r.b])
            else:
                sequence.append(NAMES[r.region] if r.kind == "ENTER" else r.kind)
        return sequence

    def test_regions_nest_with_calls_and_end_if_and_only_if_they_began(self) -> None:
        run, stderr = self.both_ways(2, "regions")
        self.assert_whole(run, 2)
        self.assertEqual(stderr.count('hopscope: hopscope_region_end("not begun")'), 2)  # once per rank
        expected = ["MPI_Init"]
        for i in range(3):
            expected += [f"+step {i}", "MPI_Barrier", "+inner", "-inner", f"-step {i}"]
        expected += ["+(unnamed)", "+(unnamed)", "-(unnamed)", "-(unnamed)"]
        expected += ["+begun before", "MPI_Pcontrol", "OFF", "-begun before", "ON"]
        expected += ["MPI_Pcontrol", "MPI_Pcontrol", "MPI_Pcontrol", "MPI_Allreduce", "+to the end", "MPI_Finalize"]
        for rank in range(2):
            main, thread = sorted(run.of(rank), key=lambda spool: spool.thread)
            self.assertEqual(self.names(run, main), expected)
            self.assertEqual(self.names(run, thread), ["+thread", "+inner", "-inner", "-thread"])
            sites = {r.a for r in main.of("REGION_BEGIN")}
            self.assertNotIn(0, sites)
            self.assertEqual(len(sites), 6)


class Paused(Case):
    def test_a_program_can_begin_with_recording_off(self) -> None:
        run, _ = self.both_ways(2, "regions", HOPSCOPE_PAUSED="1")
        spool = next(spool for spool in run.of(0) if spool.thread == 0)
        self.assertEqual([r.kind for r in spool.of("OFF", "ON")], ["OFF", "ON"])
        entered = [NAMES[r.region] for r in spool.of("ENTER")]
        self.assertEqual(entered, ["MPI_Init", *["MPI_Pcontrol"] * 3, "MPI_Allreduce", "MPI_Finalize"])
        # Four barriers were counted but not recorded.
        self.assertEqual([r.b for r in calls(spool, "MPI_Allreduce")], [4])

    def test_a_program_that_never_turns_it_on_has_its_frame_recorded(self) -> None:
        run, _ = self.both_ways(2, "messages", HOPSCOPE_PAUSED="1")
        self.assert_whole(run, 2)
        for spool in run.spools:
            kinds = Counter(r.kind for r in spool.records)
            overhead = {"OVERHEAD_BEGIN", "OVERHEAD_END", "SKIPPED"}
            frame = {kind: n for kind, n in kinds.items() if kind not in overhead}
            self.assertEqual(frame, {"ENTER": 2, "LEAVE": 2, "OFF": 1, "ON": 1})


if __name__ == "__main__":
    unittest.main()
