"""Tests how the preload records the application's point-to-point messages and requests, under real mpirun."""

from __future__ import annotations

import unittest
from collections import Counter

from case import NAMES, Case, calls
from read_spool import Spool


class Messages(Case):
    def test_every_message_is_recorded_at_both_ends_whatever_completes_it(self) -> None:
        run, _ = self.both_ways(3, "messages")
        self.assert_whole(run, 3)
        sent: Counter[tuple[int, int, int, int]] = Counter()
        received: Counter[tuple[int, int, int, int]] = Counter()
        for spool in run.spools:
            for r in spool.of("SEND", "ISEND"):
                sent[spool.rank, r.peer, r.tag, r.b] += 1
            for r in spool.of("RECV", "IRECV"):
                received[r.peer, spool.rank, r.tag, r.b] += 1
        self.assertEqual(sent, received)
        for tag in range(10, 19):
            self.assertEqual(sent[0, 1, tag, 4], 100, f"tag {tag}")
        self.assertEqual(sent[0, 1, 30, 4], 10)
        self.assertEqual({tag for _, _, tag, _ in sent if tag in (5, 31)}, set())

    def test_every_request_begins_and_ends_once(self) -> None:
        run, _ = self.both_ways(2, "messages")
        for spool in run.spools:
            begins = Counter(r.c for r in spool.of("ISEND", "IRECV_POST"))
            ends = Counter(r.c for r in spool.of("ISEND_COMPLETE", "IRECV", "REQUEST_CANCELLED"))
            self.assertEqual(begins, ends)
            self.assertEqual(set(begins.values()), {1})
            self.assertEqual(len(spool.of("REQUEST_CANCELLED")), 1)

    def test_polls_that_find_nothing_do_not_flood_the_spool(self) -> None:
        run, _ = self.both_ways(2, "messages")
        for spool in run.spools:
            # 200 requests are tested one by one. Each success ends a pair of records. Unsuccessful polls begin a new
            # pair only after a long pause.
            self.assertGreaterEqual(len(calls(spool, "MPI_Test")), 200)
            self.assertLess(len(calls(spool, "MPI_Test")), 5000)

    def test_a_message_takes_one_place_and_its_wait_another(self) -> None:
        run, _ = self.both_ways(3, "messages", HOPSCOPE_SPOOL_CHUNK_BYTES="20000000")  # no chunk change within a call
        for spool in run.spools:
            places = Counter(NAMES[region] for _, _, region, *_ in spool.stored if region)
            enters = Counter(NAMES[r.region] for r in spool.of("ENTER"))
            for name in ("MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Irecv", "MPI_Wait"):
                self.assertGreater(enters[name], 0)
                self.assertEqual(places[name], enters[name], name)

    def test_a_poll_is_not_mistaken_for_what_lies_in_its_place_a_chunk_later(self) -> None:
        # 20,480 bytes are 512 slots for records. A poll takes two of them, and so does a change of chunks.
        run, stderr = self.both_ways(1, "polls", "515", HOPSCOPE_SPOOL_CHUNK_BYTES="20480")
        self.assertNotIn("hopscope", stderr)
        self.assert_whole(run, 1)
        self.assertEqual(len(calls(run.spools[0], "MPI_Iprobe")), 21 * 20)

    def test_recording_collectives_only_leaves_messages_out_and_calls_in(self) -> None:
        run, stderr = self.both_ways(2, "messages", HOPSCOPE_RECORD="collectives")
        self.assertNotIn("hopscope", stderr)
        self.assert_whole(run, 2)
        for spool in run.spools:
            self.assertEqual({r.kind for r in spool.records} - {"OVERHEAD_BEGIN", "OVERHEAD_END"}, {"ENTER", "LEAVE"})
            counts = {name: len(calls(spool, name)) for name in ("MPI_Irecv", "MPI_Wait", "MPI_Mrecv", "MPI_Recv")}
            self.assertEqual(counts, {"MPI_Irecv": 901, "MPI_Wait": 206, "MPI_Mrecv": 1, "MPI_Recv": 5})
            self.assertEqual(run.process(spool.rank)["record"], "collectives")

    def test_what_to_record_is_said_in_words_that_are_known(self) -> None:
        run, stderr = self.both_ways(2, "messages", HOPSCOPE_RECORD="collective")
        self.assertEqual(
            [line for line in stderr.splitlines() if "hopscope" in line],
            ["hopscope: HOPSCOPE_RECORD=collective is not valid (write all, collectives or 0); using all"],
        )
        self.assertGreater(len(run.of(0)[0].of("ISEND")), 900)

    def test_every_kind_of_send_and_every_end_of_a_request_counts_exactly_once(self) -> None:
        run, _ = self.both_ways(2, "requests")
        self.assert_whole(run, 2)
        # Messages by tag. Tags 40 to 42: a blocking or nonblocking send each. Tags 43 to 45: a persistent send each,
        # started three times. Tag 50: five starts, completed in six ways. Tag 60: a send whose request is freed. Tag
        # 61: a send after a cancelled start. Tag 62: none, because of MPI_PROC_NULL. Tag 63: one with a matched probe.
        expected = {40: 1, 41: 1, 42: 1, 43: 3, 44: 3, 45: 3, 50: 30, 60: 1, 61: 1, 63: 1}
        for spool in run.spools:
            sent = Counter(r.tag for r in spool.of("SEND", "ISEND"))
            received = Counter(r.tag for r in spool.of("RECV", "IRECV"))
            self.assertEqual((sent, received), (expected, expected))
            self.assertEqual({(r.peer, r.b) for r in spool.of("SEND", "ISEND", "RECV", "IRECV")}, {(1 - spool.rank, 4)})
            posted, sends = [{r.c for r in spool.of(kind)} for kind in ("IRECV_POST", "ISEND")]
            ends = {kind: [r.c for r in spool.of(kind)] for kind in ("IRECV", "ISEND_COMPLETE", "REQUEST_CANCELLED")}
            self.assertEqual(len(ends["REQUEST_CANCELLED"]), 1)
            self.assertEqual(sorted(ends["IRECV"] + ends["REQUEST_CANCELLED"]), sorted(posted))
            given_up = {r.c for r in spool.of("ISEND") if r.tag == 60}
            self.assertEqual(sorted(ends["ISEND_COMPLETE"]), sorted(sends - without_end(spool, given_up)))


def without_end(spool: Spool, given_up: set[int]) -> set[int]:
    """Returns the requests of `given_up`, which the program freed, that have no end in the spool. Some MPI libraries
    complete such requests at once; those have an end."""
    return given_up - {r.c for r in spool.of("ISEND_COMPLETE")}


if __name__ == "__main__":
    unittest.main()
