"""Tests that the preload records every call and collective under real mpirun exactly once, with its properties."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import unittest
from collections import Counter, defaultdict
from pathlib import Path

from case import FLAVOUR, NAMES, NUMBERS, PRELOAD, PROGRAMS, Case, calls, launcher, ranks
from read_spool import CALL_COLLECTIVE, read_run


class Recording(Case):
    def test_collectives_give_the_same_results_and_are_counted_alike_on_all_ranks(self) -> None:
        run, stderr = self.both_ways(4, "collectives")
        self.assertNotIn("hopscope", stderr)
        self.assert_whole(run, 4)
        sequences = []
        for rank in range(4):
            spool = run.of(rank)[0]
            world = next(i for i, c in run.comms(rank).items() if c["name"] == "MPI_COMM_WORLD")
            enters = [r for r in spool.of("ENTER") if r.comm == world]
            self.assertEqual([r.b for r in enters], list(range(len(enters))))
            sequences.append([(r.region, r.c) for r in enters])
            self.assertEqual(len([r for r in enters if NAMES[r.region] == "MPI_Gatherv"]), 4)
        self.assertTrue(all(s == sequences[0] for s in sequences))

    def test_bytes_of_collectives_follow_the_convention(self) -> None:
        run, _ = self.both_ways(4, "collectives")
        bytes_of: dict[tuple[int, str], set[tuple[int, int]]] = defaultdict(set)
        for spool in run.spools:
            for leave in spool.of("LEAVE"):
                bytes_of[spool.rank, NAMES[leave.region]].add((leave.a, leave.b))
        self.assertEqual(bytes_of[0, "MPI_Bcast"], {(8, 0), (0, 8)})
        self.assertEqual(bytes_of[1, "MPI_Reduce"], {(8, 8), (8, 0)})
        self.assertEqual(bytes_of[2, "MPI_Gather"], {(8, 32), (8, 0)})
        self.assertEqual(bytes_of[2, "MPI_Gatherv"], {(8, 12), (8, 0)})  # counts 0 1 2 0: rank 2 sends 2 of the 3 ints
        self.assertEqual(bytes_of[3, "MPI_Alltoallw"], {(16, 16)})
        self.assertEqual(bytes_of[3, "MPI_Reduce_scatter"], {(16, 4)})
        self.assertEqual(bytes_of[0, "MPI_Exscan"], {(8, 0)})
        self.assertEqual(bytes_of[3, "MPI_Neighbor_alltoall"], {(8, 8)})
        self.assertEqual(bytes_of[0, "MPI_Barrier"], {(0, 0)})

    def test_bytes_between_two_groups_are_what_goes_to_and_comes_from_the_other(self) -> None:
        run, _ = self.both_ways(4, "between_groups")
        # Rank 0 is one group, ranks 1 to 3 are the other. The root is first rank 0, then rank 1. With root 1, ranks 2
        # and 3 take no part.
        expected = {
            "Bcast": ([(8, 0), (0, 8)], [(0, 8), (8, 0)], [(0, 8), (0, 0)]),
            "Reduce": ([(0, 8), (8, 0)], [(8, 0), (0, 8)], [(8, 0), (0, 0)]),
            "Gather": ([(0, 12), (4, 0)], [(4, 0), (0, 4)], [(4, 0), (0, 0)]),
            "Gatherv": ([(0, 12), (4, 0)], [(4, 0), (0, 4)], [(4, 0), (0, 0)]),
            "Scatter": ([(12, 0), (0, 4)], [(0, 4), (4, 0)], [(0, 4), (0, 0)]),
            "Scatterv": ([(12, 0), (0, 4)], [(0, 4), (4, 0)], [(0, 4), (0, 0)]),
            "Allreduce": ([(8, 8)], [(8, 8)], [(8, 8)]),
            "Allgather": ([(8, 12)], [(4, 8)], [(4, 8)]),
            "Allgatherv": ([(4, 12)], [(4, 4)], [(4, 4)]),
            "Alltoall": ([(24, 12)], [(4, 8)], [(4, 8)]),
            "Alltoallv": ([(12, 12)], [(4, 4)], [(4, 4)]),
            "Alltoallw": ([(12, 12)], [(4, 4)], [(4, 4)]),
            "Reduce_scatter": ([(12, 12)], [(12, 4)], [(12, 4)]),
            "Reduce_scatter_block": ([(12, 12)], [(12, 4)], [(12, 4)]),
        }
        for rank in range(4):
            leaves = run.of(rank)[0].of("LEAVE")
            for name, by_rank in expected.items():
                sizes = [(r.a, r.b) for r in leaves if NAMES[r.region] == f"MPI_{name}"]
                self.assertEqual(sizes, by_rank[min(rank, 2)], f"{name} on rank {rank}")

    def test_call_sites_lie_in_the_program(self) -> None:
        run, _ = self.both_ways(2, "collectives")
        sites = {d["id"]: d for d in run.defs(0, "call_site")}
        used = {r.a for r in run.of(0)[0].of("ENTER")}
        self.assertEqual(used, set(sites))
        self.assertEqual({Path(d["module"]).name for d in sites.values()}, {"collectives"})
        self.assertEqual(len({d["offset"] for d in sites.values()}), len(sites))

    def test_errors_and_errno_reach_the_application_unchanged_over_many_chunks(self) -> None:
        run, _ = self.both_ways(2, "errors", HOPSCOPE_SPOOL_CHUNK_BYTES="20480")
        self.assert_whole(run, 2)
        spool = run.of(0)[0]
        self.assertEqual(len(calls(spool, "MPI_Wait")), 20000)
        self.assertGreater(len(spool.of("OVERHEAD_BEGIN")), 30)
        self.assertEqual(len(spool.of("OVERHEAD_BEGIN")), len(spool.of("OVERHEAD_END")))

    def test_a_blocking_collective_takes_one_place(self) -> None:
        run, _ = self.both_ways(4, "collectives", HOPSCOPE_NATIVE="0")
        for spool in run.spools:
            collectives = [NUMBERS[f"MPI_{name}"] for name in Started.BLOCKING]
            places = Counter(kind for _, kind, region, *_ in spool.stored if region in collectives)
            self.assertEqual(set(places), {CALL_COLLECTIVE})
            self.assertEqual(places.total(), sum(r.region in collectives for r in spool.of("ENTER")))

    def test_an_abort_and_an_exit_leave_readable_spools(self) -> None:
        self.launch(*ranks(1, "errors", "abort"), code=None)
        run = read_run(self.trace)
        self.assertEqual(run.definitions[0][-1]["how"], "abort")
        self.assertEqual(len(calls(run.spools[0], "MPI_Abort")), 1)
        shutil.rmtree(self.trace)
        self.launch(*ranks(1, "errors", "exit"), code=None)
        run = read_run(self.trace)
        self.assertEqual(run.spools[0].state, "open")
        self.assertEqual(len(calls(run.spools[0], "MPI_Wait")), 20000)

    def test_recording_stops_in_a_sentence_where_files_may_grow_no_further(self) -> None:
        # 7 MB are enough for the MPI library's own shared memory, but 200,000 calls take 8 MB.
        words = ranks(2, "errors", "finish", "200000", before="ulimit -f 14000; ")
        settings = {"HOPSCOPE_SPOOL_CHUNK_BYTES": "20480", "HOPSCOPE_KEEP_SPOOL": "1"}
        done = self.launch(*words, HOPSCOPE_ASSEMBLE="1", **settings)
        self.assertIn("errno 77", done.stdout)
        self.assertRegex(done.stderr, rf"hopscope: recording stopped on rank \d in {self.trace}: .*File too large")
        run = read_run(self.trace)
        self.assertEqual({s.state for s in run.spools}, {"stopped"})
        self.assertIn("File too large", run.spools[0].reason)
        self.assertGreater(len(calls(run.spools[0], "MPI_Wait")), 500)
        # Regression: a message said that the archive is missing.
        self.assertIn("the archive is incomplete; missing: ", done.stderr)
        self.assertTrue((self.trace / "traces.otf2").exists())


class Started(Case):
    """Collectives that return before they are complete."""

    PROGRAM = "started"
    ROUNDS = 1 if FLAVOUR == "mpich" else 3  # as in started.c
    BLOCKING = (
        "Barrier",
        "Bcast",
        "Reduce",
        "Allreduce",
        "Gather",
        "Gatherv",
        "Scatter",
        "Scatterv",
        "Allgather",
        "Allgatherv",
        "Alltoall",
        "Alltoallv",
        "Alltoallw",
        "Reduce_scatter",
        "Reduce_scatter_block",
        "Scan",
        "Exscan",
        "Neighbor_allgather",
        "Neighbor_allgatherv",
        "Neighbor_alltoall",
        "Neighbor_alltoallv",
        "Neighbor_alltoallw",
    )

    def expected(self) -> Counter[str]:
        """Returns how often each rank of started.c starts each collective."""
        nonblocking = Counter({f"MPI_I{name.lower()}": 1 for name in self.BLOCKING})
        nonblocking += Counter({"MPI_Ibarrier": 1, "MPI_Ibcast": 1, "MPI_Iallreduce": 4})
        if not self.has_persistent():
            return nonblocking
        persistent = Counter({f"MPI_{name}_init": self.ROUNDS for name in self.BLOCKING})
        return nonblocking + persistent + Counter({"MPI_Barrier_init": 1, "MPI_Allreduce_init": 1})

    def has_persistent(self) -> bool:
        symbols = subprocess.run(
            ["nm", "-D", PRELOAD.split(":")[-1]], capture_output=True, text=True, check=True
        ).stdout
        return " T MPI_Allreduce_init\n" in symbols

    def test_every_one_is_begun_and_completed_once_by_whichever_wait_or_test(self) -> None:
        run, stderr = self.both_ways(4, self.PROGRAM)
        self.assertNotIn("hopscope", stderr)
        self.assert_whole(run, 4)
        for spool in run.spools:
            begins = {r.c: r for r in spool.of("COLLECTIVE_REQUEST")}
            ends = {r.c & (2**40 - 1): r for r in spool.of("COLLECTIVE_COMPLETE")}
            self.assertEqual(len(begins), len(spool.of("COLLECTIVE_REQUEST")))
            self.assertEqual(len(ends), len(spool.of("COLLECTIVE_COMPLETE")))
            self.assertEqual(set(begins), set(ends))
            for request, record in begins.items():
                self.assertEqual((record.region, record.comm), (ends[request].region, ends[request].comm))
                self.assertLessEqual(record.ticks, ends[request].ticks)
            self.assertEqual(Counter(NAMES[r.region] for r in begins.values()), self.expected())

    def test_members_number_them_alike_also_where_they_start_in_different_orders(self) -> None:
        run, _ = self.both_ways(4, self.PROGRAM)
        functions: dict[tuple[str, int], set[str]] = defaultdict(set)
        members: Counter[tuple[str, int]] = Counter()
        for spool in run.spools:
            comms = run.comms(spool.rank)
            numbered = {*self.BLOCKING, "Cart_create", "Comm_split"}
            blocking = [r for r in spool.of("ENTER") if r.comm and NAMES[r.region].removeprefix("MPI_") in numbered]
            for r in spool.of("COLLECTIVE_REQUEST") + blocking:
                functions[comms[r.comm]["key"], r.b].add(NAMES[r.region])
                members[comms[r.comm]["key"], r.b] += 1
        self.assertTrue(all(len(names) == 1 for names in functions.values()), functions)
        world = next(c["key"] for c in run.comms(0).values() if c["name"] == "MPI_COMM_WORLD")
        numbers = sorted(seq for key, seq in members if key == world)
        nonblocking = [seq for seq in numbers if seq < 2**32]
        self.assertEqual(nonblocking, list(range(22)))  # 19 nonblocking and 3 blocking collectives
        self.assertEqual({members[world, seq] for seq in numbers}, {4})
        if self.has_persistent():
            persistent = [divmod(seq, 2**32) for seq in numbers[22:]]
            rounds = [(number, start) for number in range(1, 18) for start in range(self.ROUNDS)]
            self.assertEqual(persistent, [*rounds, (18, 0), (19, 0)])

    def test_bytes_and_roots_are_those_of_the_blocking_ones(self) -> None:
        run, _ = self.both_ways(4, self.PROGRAM)
        ends: dict[tuple[int, str], set[tuple[int, int, int]]] = defaultdict(set)
        for spool in run.spools:
            for r in spool.of("COLLECTIVE_COMPLETE"):
                ends[spool.rank, NAMES[r.region]].add((r.a, r.b, r.c >> 40))
        self.assertEqual(ends[2, "MPI_Ireduce"], {(8, 8, 3)})
        self.assertEqual(ends[1, "MPI_Igather"], {(8, 32, 2)})
        self.assertEqual(ends[0, "MPI_Iexscan"], {(8, 0, 0)})
        self.assertEqual(ends[3, "MPI_Ialltoallw"], {(16, 16, 0)})
        self.assertEqual(ends[3, "MPI_Ineighbor_alltoall"], {(8, 8, 0)})
        # The root is rank 1 on MPI_COMM_WORLD, then rank 0, which sends to the other group of an intercommunicator.
        self.assertEqual(ends[0, "MPI_Ibcast"], {(0, 8, 2), (8, 0, 0xFFFFFF)})
        self.assertEqual(ends[2, "MPI_Ibcast"], {(0, 8, 2), (0, 8, 1)})
        blocking = {s.rank: [r.c for r in calls(s, "MPI_Bcast")] for s in run.spools}
        this_group, self_ = 2**64 - 3, 2**64 - 2
        self.assertEqual(blocking, {0: [self_, 0], 1: [0, self_], 2: [0, this_group], 3: [0, this_group]})
        if self.has_persistent():
            self.assertEqual(ends[1, "MPI_Bcast_init"], {(8, 0, 2)})
            self.assertEqual(ends[3, "MPI_Reduce_scatter_init"], {(16, 4, 0)})


class StartedLarge(Started):
    """The tests of Started for large counts, if the MPI library has these."""

    PROGRAM = "started_large"

    def setUp(self) -> None:
        super().setUp()
        if not (PROGRAMS / self.PROGRAM).exists():
            self.skipTest("this MPI library has no large counts")


class Worlds(Case):
    """Tests of spawned processes, and of MPI without MPI_Init (sessions)."""

    def test_spawned_processes_record_beneath_their_parents_directory(self) -> None:
        # Start it without a shell, because the program spawns itself.
        words = ["-n", "2", "env", f"LD_PRELOAD={PRELOAD}", str(PROGRAMS / "spawning")]
        environment = {k: v for k, v in os.environ.items() if not k.startswith("HOPSCOPE_")}

        def run(*command: str, **settings: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [*launcher(), *command],
                env=environment | settings,
                cwd=self.home,
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )

        bare = run("-n", "2", str(PROGRAMS / "spawning"))
        if bare.returncode != 0:
            self.skipTest(f"MPI_Comm_spawn does not work here: {(bare.stderr.splitlines() or ['no words'])[0]}")
        recorded = run(*words, HOPSCOPE_DIR=str(self.trace), HOPSCOPE_ASSEMBLE="0", LD_PRELOAD=PRELOAD)
        self.assertEqual(
            (recorded.returncode, sorted(recorded.stdout.split())), (0, sorted(bare.stdout.split())), recorded.stderr
        )
        self.assertNotIn("hopscope", recorded.stderr)
        parents = read_run(self.trace)
        self.assert_whole(parents, 2)
        (place,) = self.trace.glob("spawned-*")
        children = read_run(place)
        self.assert_whole(children, 2)
        for spool in parents.spools + children.spools:
            self.assertEqual(len(calls(spool, "MPI_Barrier")), 1)
            self.assertEqual(len(calls(spool, "MPI_Allreduce")), 1)
            self.assertEqual(len(calls(spool, "MPI_Comm_spawn")), 1 if spool in parents.spools else 0)

    def test_spawned_processes_pass_over_rules_for_the_members_of_another_world(self) -> None:
        words = ["-n", "3", "env", f"LD_PRELOAD={PRELOAD}", str(PROGRAMS / "spawning")]
        if self.launch("-n", "3", str(PROGRAMS / "spawning"), code=None).returncode != 0:
            self.skipTest("MPI_Comm_spawn does not work here")
        rules = [
            {"operations": ["MPI_Barrier"], "members": members, "reduce_tree": tree}
            for members, tree in (([0, 1, 2], "for-three"), ([0, 1], "for-two"))
        ]
        rules.append({"operations": ["MPI_Barrier"], "reduce_tree": "for-all"})
        trees = {rule["reduce_tree"]: {"shape": "flat"} for rule in rules}
        file = self.home / "tree.json"
        file.write_text(json.dumps({"schema_version": 1, "trees": trees, "rules": rules}))
        self.launch(*words, code=None, HOPSCOPE_TREE=str(file), LD_PRELOAD=PRELOAD, HOPSCOPE_NATIVE="0")
        (place,) = self.trace.glob("spawned-*")
        for directory, processes, tree in ((self.trace, 3, "for-three"), (place, 2, "for-all")):
            run = read_run(directory)
            self.assert_whole(run, processes)
            for rank in range(processes):
                self.assertEqual([d["name"] for d in run.defs(rank, "tree")], [tree])

    def sessions(self) -> str:
        if not (PROGRAMS / "sessions").exists():
            self.skipTest("this MPI library has no sessions (MPI-4)")
        return "sessions"

    def test_a_session_beside_mpi_init_is_recorded_with_its_communicators(self) -> None:
        run, stderr = self.both_ways(4, self.sessions(), "init")
        self.assertNotIn("hopscope", stderr)
        self.assert_whole(run, 4)
        keys = set()
        for spool in run.spools:
            (barrier, copy_barrier) = calls(spool, "MPI_Barrier")
            (allreduce,) = calls(spool, "MPI_Allreduce")
            self.assertEqual(allreduce.comm, barrier.comm)
            self.assertEqual((allreduce.b, barrier.b, copy_barrier.b), (0, 1, 0))
            comm = run.comms(spool.rank)[barrier.comm]
            self.assertEqual((comm["size"], comm["rank"]), (4, spool.rank))
            keys.add((comm["key"], run.comms(spool.rank)[copy_barrier.comm]["key"]))
            self.assertEqual(len(calls(spool, "MPI_Session_init") + calls(spool, "MPI_Session_finalize")), 2)
        self.assertEqual(len(keys), 1)

    def test_members_of_a_session_s_communicator_are_ranks_of_the_world_beside_it(self) -> None:
        rules = [
            {"operations": ["MPI_Barrier"], "members": [0, 1, 2, 3], "reduce_tree": "for-these"},
            {"operations": ["MPI_Barrier"], "reduce_tree": "for-all"},
        ]
        trees = {rule["reduce_tree"]: {"shape": "flat"} for rule in rules}
        file = self.home / "tree.json"
        file.write_text(json.dumps({"schema_version": 1, "trees": trees, "rules": rules}))
        run, stderr = self.both_ways(4, self.sessions(), "init", HOPSCOPE_TREE=str(file), HOPSCOPE_NATIVE="0")
        self.assertNotIn("hopscope", stderr)
        self.assert_whole(run, 4)
        for spool in run.spools:
            barriers = {barrier.comm for barrier in calls(spool, "MPI_Barrier")}
            self.assertEqual(len(barriers), 2)
            self.assertEqual({hop.comm for hop in spool.of("HOP_ISEND")}, barriers)
            self.assertEqual([d["name"] for d in run.defs(spool.rank, "tree")], ["for-these"])

    def test_without_mpi_init_recording_lasts_from_the_first_session_to_the_last(self) -> None:
        run, stderr = self.both_ways(4, self.sessions())
        self.assertNotIn("hopscope", stderr)
        self.assert_whole(run, 4)
        keys = set()
        for spool in run.spools:
            names = [NAMES[r.region] for r in spool.of("ENTER")]
            self.assertEqual(
                names,
                [
                    "MPI_Session_init",
                    "MPI_Comm_create_from_group",
                    "MPI_Allreduce",
                    "MPI_Barrier",
                    "MPI_Comm_free",
                    "MPI_Session_finalize",
                ],
            )
            (barrier,) = calls(spool, "MPI_Barrier")
            comm = run.comms(spool.rank)[barrier.comm]
            self.assertEqual((comm["size"], comm["rank"], barrier.b), (4, spool.rank, 1))
            keys.add(comm["key"])
            self.assertEqual(run.process(spool.rank)["presence"], "complete")
        self.assertEqual(len(keys), 1)

    def test_a_session_that_one_rank_lacks_holds_up_nobody_for_long(self) -> None:
        program = self.sessions()
        bare = self.launch(*ranks(2, program, preload=False))
        unloaded = 'if [ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 1 ]; then exec "$0" "$@" >out.1; fi; '
        partial = self.launch(*ranks(2, program, before=unloaded), HOPSCOPE_PRESENCE_TIMEOUT="1")
        self.assertEqual(partial.stdout, bare.stdout)
        self.assertIn("runs without the collector (no sign of it after", partial.stderr)
        run = read_run(self.trace)
        self.assertEqual(list(run.definitions), [0])


if __name__ == "__main__":
    unittest.main()
