"""Tests that the preload under real mpirun leaves results unchanged and reports wrong settings."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import unittest
from collections import Counter, defaultdict
from pathlib import Path

from case import FLAVOUR, NAMES, NUMBERS, PRELOAD, PROGRAMS, Case, calls, ranks
from read_spool import read_run


class Preload(Case):
    def test_programs_without_mpi_run_silently(self) -> None:
        for command in (["/bin/true"], ["sh", "-c", ":"], [sys.executable, "-c", "pass"]):
            done = subprocess.run(command, env=os.environ | {"LD_PRELOAD": PRELOAD}, capture_output=True, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))

    def test_exactly_the_listed_functions_are_exported_and_nothing_of_mpi_is_left_open(self) -> None:
        symbols = subprocess.run(["nm", "-D", PRELOAD], capture_output=True, text=True, check=True).stdout.splitlines()
        exported = {line.split()[-1] for line in symbols if " T " in line or " W " in line}
        dependencies = subprocess.run(
            ["ldd", PROGRAMS / "collectives"], capture_output=True, text=True, check=True
        ).stdout
        library = next(line.split()[2] for line in dependencies.splitlines() if re.search(r"lib(mpi|mpich)\.so", line))
        library_symbols = subprocess.run(["nm", "-D", library], capture_output=True, text=True, check=True).stdout
        library_functions = set(re.findall(r" [TW] (MPI_\w+)", library_symbols))
        self.assertEqual(
            {name for name in exported if name.startswith("MPI_")} - library_functions, set(), "the library lacks them"
        )
        wrapped = {name.removesuffix("_c") for name in exported if name.startswith("MPI_")}
        self.assertEqual(wrapped, set(NUMBERS) & library_functions)
        extensions = {name for name in exported if name.startswith("MPIX_")}
        self.assertEqual(extensions - set(re.findall(r" [TW] (MPIX_\w+)", library_symbols)), set())
        self.assertEqual({name.replace("MPIX_", "MPI_") for name in extensions} - set(NUMBERS), set())
        further = {name for name in exported if not name.startswith("MPI")} - {"_init", "_fini"}
        fortran = {name for name in further if re.fullmatch(r"mpi_\w+_", name)}
        sleeps = {"nanosleep", "clock_nanosleep", "usleep", "sleep", "sched_yield", "select", "poll"}
        threads = {"pthread_create", "pthread_join", "pthread_timedjoin_np", "pthread_clockjoin_np", "thrd_join"}
        own = {"hopscope_region_begin", "hopscope_region_end", "__asan_default_options"}
        self.assertEqual(further - fortran, own | sleeps | threads)
        self.assertEqual(
            {re.sub(r"(_f08(ts)?)?(_large)?_$", "", name) for name in fortran}, {name.lower() for name in NUMBERS}
        )
        left_open = [line for line in symbols if " U " in line and "mpi" in line.lower()]
        self.assertEqual(left_open, [])

    def test_a_program_of_another_mpi_library_runs_on_without_it_after_a_sentence(self) -> None:
        second_library = "mpich" if FLAVOUR == "openmpi" else "openmpi"
        compiler = shutil.which(f"mpicc.{second_library}")
        if not compiler:
            self.skipTest(f"no mpicc.{second_library} here to build a program of the other MPI")
        program = self.home / "other"
        source = Path(__file__).parent / "forking.c"
        subprocess.run([compiler, str(source), "-o", str(program)], check=True, capture_output=True)
        done = subprocess.run(
            [str(program)], env=os.environ | {"LD_PRELOAD": PRELOAD}, capture_output=True, text=True, check=False
        )
        self.assertEqual((done.returncode, done.stdout), (0, "child 7\n"), done.stderr)
        self.assertRegex(
            done.stderr,
            r"^hopscope: libhopscope-[a-z]+-\d+\.so is preloaded, but this program's MPI library is not .*; preload "
            r"the library that `hopscope preload` names\. Nothing is recorded; the program runs without the "
            r"collector\n$",
        )

    def test_a_singleton_needs_no_launcher(self) -> None:
        environment = os.environ | {"LD_PRELOAD": PRELOAD, "HOPSCOPE_DIR": str(self.trace), "HOPSCOPE_ASSEMBLE": "0"}
        done = subprocess.run([PROGRAMS / "forking"], env=environment, capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "child 7\n")
        run = read_run(self.trace)
        self.assert_whole(run, 1)
        self.assertEqual(len(calls(run.spools[0], "MPI_Barrier")), 2)
        self.assertEqual(calls(run.spools[0], "MPI_Wait"), [], "the forked child wrote into its parent's spool")


class Communicators(Case):
    def test_hundreds_of_communicators_come_and_go(self) -> None:
        rounds = 300
        run, _ = self.both_ways(2, "comm_loop", str(rounds))
        self.assert_whole(run, 2)
        for rank in range(2):
            keys = [c["key"] for c in run.comms(rank).values()]
            self.assertEqual(len(keys), len(set(keys)))
            self.assertEqual(len(keys), 2 + 2 * rounds + (rounds if rank == 0 else 0))

    def test_members_agree_on_the_key_of_a_communicator_of_any_origin(self) -> None:
        run, _ = self.both_ways(4, "comm_origins")
        self.assert_whole(run, 4)
        members: dict[str, set[int]] = defaultdict(set)
        lists: dict[str, list[int]] = {}
        names: dict[str, set[str]] = defaultdict(set)
        for rank in range(4):
            name_of = {d["id"]: d["name"] for d in run.defs(rank, "comm_name")}
            for number, comm in run.comms(rank).items():
                members[comm["key"]].add(rank)
                names[comm["key"]].add(name_of.get(number, comm["name"]))
                if comm["inter"] and comm["members"] is not None:
                    # The first rank of each side defines both groups.
                    self.assertEqual(
                        (comm["members"], comm["remote"]), ([0, 1], [2, 3]) if rank == 0 else ([2, 3], [0, 1])
                    )
                    lists[comm["key"]] = [0, 1, 2, 3]
                elif comm["members"] is not None:
                    self.assertNotIn(comm["key"], lists)
                    lists[comm["key"]] = comm["members"]
        self.assertTrue(all(len(n) == 1 for n in names.values()), names)
        for key, expected in lists.items():
            self.assertEqual(members[key], set(expected), names[key])
        communicators = Counter(next(iter(n)) for n in names.values())
        everyone = (
            "dup with info",
            "shared",
            "grid",
            "graph",
            "adjacent",
            "dist graph",
            "inter",
            "merged",
            "idup one",
            "idup two",
        )
        self.assertEqual({n: communicators[n] for n in everyone}, dict.fromkeys(everyone, 1))
        halves = ("create", "create group", "column", "dup of column")
        self.assertEqual({n: communicators[n] for n in halves}, dict.fromkeys(halves, 2))
        self.assertEqual(communicators["MPI_COMM_SELF"], 4)

    def test_every_barrier_names_its_communicator(self) -> None:
        run, _ = self.both_ways(4, "comm_origins")
        for spool in run.spools:
            barriers = calls(spool, "MPI_Barrier")
            self.assertEqual(len(barriers), 15)
            self.assertNotIn(0, {r.comm for r in barriers})


class Threads(Case):
    def test_two_threads_in_two_communicators_have_a_spool_each(self) -> None:
        run, _ = self.both_ways(2, "threads")
        if not calls(run.spools[0], "MPI_Allreduce"):
            self.skipTest("this MPI library gives no MPI_THREAD_MULTIPLE")
        self.assert_whole(run, 2)
        for rank in range(2):
            spools = run.of(rank)
            self.assertEqual([s.thread for s in spools], [0, 1])
            for spool in spools:
                reduces = calls(spool, "MPI_Allreduce")
                self.assertEqual([r.b for r in reduces], list(range(200)))
                self.assertEqual(len({r.comm for r in reduces}), 1)
                self.assertEqual(len(spool.of("IRECV")), 200)


class Trees(Case):
    """Tests of the engine in whole programs. tests/engine tests the engine by itself."""

    def test_results_are_the_same_with_collectives_over_a_tree(self) -> None:
        jobs = ((4, "collectives"), (3, "messages"), (4, "comm_origins"), (2, "threads"), (2, "errors"))
        for n, program in jobs:
            with self.subTest(program):
                run, stderr = self.both_ways(n, program, HOPSCOPE_TREE="binomial")
                self.assertNotIn("hopscope", stderr)
                self.assert_whole(run, n)
                self.assertEqual({run.process(rank)["mode"] for rank in range(n)}, {"tree"})
                shutil.rmtree(self.trace, ignore_errors=True)

    def test_a_communicator_that_a_callback_freed_is_not_taken_for_the_next_with_its_handle(self) -> None:
        for freeing in ("seen", "unseen"):
            with self.subTest(freeing):
                run, stderr = self.both_ways(4, "comm_in_attribute", freeing, HOPSCOPE_TREE="binomial")
                self.assertNotIn("hopscope", stderr)
                self.assert_whole(run, 4)
                self.assertEqual(len({c["key"] for rank in range(4) for c in run.comms(rank).values()}), 5 + 20 + 40)
                shutil.rmtree(self.trace)

    def test_barriers_on_communicators_of_every_origin_run_over_the_tree_or_say_why_not(self) -> None:
        run, _ = self.both_ways(4, "comm_origins", HOPSCOPE_TREE="binomial")
        for spool in run.spools:
            comms = run.comms(spool.rank)
            reasons = {d["id"]: d["text"] for d in run.defs(spool.rank, "reason")}
            ways = {True: Counter(), False: Counter()}
            entered = None
            for record in spool.of("ENTER", "LEAVE"):
                if record.region != NUMBERS["MPI_Barrier"]:
                    continue
                if record.kind == "ENTER":
                    entered = comms[record.comm]
                else:
                    ways[bool(record.c)][reasons.get(record.comm, ""), entered["inter"]] += 1
            self.assertEqual(sum(ways[False].values()) + sum(ways[True].values()), 15)
            self.assertGreaterEqual(ways[True]["", False], 13)
            self.assertEqual([inter for _, inter in ways[False] if _], [True])

    def test_communicators_of_equal_size_run_by_the_rules_for_their_members(self) -> None:
        operations = ["MPI_Allreduce", "MPI_Bcast"]
        rules = [
            {"operations": operations, "members": [0, 2, 4], "reduce_tree": "a-chain"},
            {"operations": operations, "members": [5, 3, 1], "reduce_tree": "a-star"},
            {"operations": operations, "members": [0, 1, 2, 3, 4, 5], "reduce_tree": "everybody"},
            {"operations": ["MPI_Allreduce"], "comm_size": {"max": 3}, "algorithm": "ring"},
        ]
        trees = {
            "a-chain": {"shape": "explicit", "parents": [None, 0, 1]},
            "a-star": {"shape": "explicit", "parents": [None, 0, 0]},
            "everybody": {"shape": "binomial"},
        }
        file = self.home / "tree.json"
        file.write_text(json.dumps({"schema_version": 1, "trees": trees, "rules": rules}))
        run, stderr = self.both_ways(6, "halves", HOPSCOPE_TREE=str(file), HOPSCOPE_NATIVE="0")
        self.assertNotIn("hopscope", stderr)
        self.assert_whole(run, 6)
        ways: defaultdict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
        edges: defaultdict[str, set[tuple[int, int]]] = defaultdict(set)
        for spool in run.spools:
            trees_used = {d["id"]: d["name"] for d in run.defs(spool.rank, "tree")}
            reasons = {d["id"]: d["text"] for d in run.defs(spool.rank, "reason")}
            names = {d["id"]: d["name"] for d in run.defs(spool.rank, "comm_name")}
            places = {i: comm["rank"] for i, comm in run.comms(spool.rank).items()}
            name, tree = "", ""
            for record in spool.of("ENTER", "HOP_ISEND", "LEAVE"):
                if record.kind == "HOP_ISEND":
                    tree = trees_used[record.region]
                    edges[name].add((places[record.comm], record.peer))
                elif NAMES[record.region] in operations and record.kind == "ENTER":
                    name, tree = names[record.comm], "nothing sent"
                elif NAMES[record.region] in operations:
                    source = tree if record.c else "native"
                    ways[name, NAMES[record.region]].add((source, reasons.get(record.comm, "")))
        expected_trees = {
            "world": {"everybody"},
            "evens": {"a-chain"},
            "evens' twin": {"a-chain"},
            "odds backwards": {"a-star"},
        }
        for name, trees_seen in expected_trees.items():
            for operation in operations:
                with self.subTest(name=name, operation=operation):
                    self.assertEqual({tree for tree, _ in ways[name, operation]} - {"nothing sent"}, trees_seen)
        for name in ("odds", "odds' twin", "evens backwards"):
            with self.subTest(name=name):
                self.assertEqual(ways[name, "MPI_Allreduce"], {("ring", "")})
                self.assertEqual(ways[name, "MPI_Bcast"], {("native", "")})
        self.assertEqual(ways["between", "MPI_Allreduce"], {("native", "intercommunicator")})
        self.assertEqual(edges["evens"], {(0, 1), (1, 0), (1, 2), (2, 1)})
        self.assertEqual(edges["odds backwards"], {(0, 1), (1, 0), (0, 2), (2, 0)})

    def test_members_beyond_the_ranks_of_the_job_end_it_with_their_place(self) -> None:
        file = self.home / "tree.json"
        rule = {"operations": ["MPI_Barrier"], "members": [0, 6], "algorithm": "dissemination"}
        file.write_text(json.dumps({"schema_version": 1, "rules": [rule]}))
        done = self.launch(*ranks(2, "halves"), code=None, HOPSCOPE_TREE=str(file))
        self.assertNotEqual(done.returncode, 0)
        complaint = r"tree\.json:1:\d+: `members` lists rank 6, but the ranks of the job are 0 to 1; remove the rule or"
        self.assertRegex(done.stderr, complaint)


class Presence(Case):
    def test_a_rank_without_the_collector_makes_all_run_natively_and_says_so(self) -> None:
        bare = self.launch(*ranks(3, "collectives", preload=False))
        mixed = self.launch(
            *ranks(2, "collectives"), ":", *ranks(1, "collectives", preload=False),
            HOPSCOPE_TREE="binomial", HOPSCOPE_PRESENCE_TIMEOUT="2",
        )  # fmt: skip
        self.assertEqual(bare.stdout, mixed.stdout)
        lines = [line for line in mixed.stderr.splitlines() if line.startswith("hopscope:")]
        self.assertEqual(len(lines), 1, mixed.stderr)
        self.assertIn("rank 2 of 3 runs without the collector", lines[0])
        run = read_run(self.trace)
        self.assertEqual(sorted(run.definitions), [0, 1])
        for rank in (0, 1):
            self.assertEqual(run.process(rank)["presence"], "incomplete")
            reasons = {d["id"]: d["text"] for d in run.defs(rank, "reason")}
            reason_ids = [r.comm for r in run.of(rank)[0].of("LEAVE") if NAMES[r.region] == "MPI_Allreduce"]
            self.assertEqual({reasons[g] for g in reason_ids}, {"collector not on every rank"})

    def test_a_missing_rank_0_is_noticed_by_the_others(self) -> None:
        mixed = self.launch(
            *ranks(1, "collectives", preload=False), ":", *ranks(2, "collectives"), HOPSCOPE_PRESENCE_TIMEOUT="2"
        )
        self.assertIn("rank 0 of 3 runs without the collector", mixed.stderr)
        self.assertEqual(sorted(read_run(self.trace).definitions), [1, 2])

    def test_a_directory_that_cannot_be_written_is_named_and_the_program_runs(self) -> None:
        bare = self.launch(*ranks(2, "collectives", preload=False))
        recorded = self.launch(*ranks(2, "collectives"), HOPSCOPE_DIR="/proc/no/such", HOPSCOPE_TREE="binomial")
        self.assertEqual(bare.stdout, recorded.stdout)
        lines = [line for line in recorded.stderr.splitlines() if line.startswith("hopscope:")]
        self.assertEqual(len(lines), 1)
        self.assertIn("/proc/no/such", lines[0])

    def test_the_trace_of_another_run_is_left_alone(self) -> None:
        self.launch(*ranks(2, "collectives"))
        spools = {p.name: p.read_bytes() for p in (self.trace / "spool").iterdir()}
        second_run = self.launch(*ranks(2, "collectives"))
        self.assertRegex(second_run.stderr, r"hopscope: .*trace contains the spools of another run.*hopscope recover")
        self.assertEqual(spools, {p.name: p.read_bytes() for p in (self.trace / "spool").iterdir()})
        shutil.rmtree(self.trace)
        self.trace.mkdir()
        (self.trace / "run.json").write_text("{}")
        second_run = self.launch(*ranks(2, "collectives"))
        self.assertRegex(second_run.stderr, r"hopscope: .*trace already contains a trace")
        self.assertEqual([p.name for p in self.trace.iterdir()], ["run.json"])

    def test_without_a_named_directory_one_is_made_for_the_job(self) -> None:
        self.launch(*ranks(2, "collectives"), HOPSCOPE_DIR="")
        directories = list(self.home.glob("hopscope-*"))
        self.assertEqual(len(directories), 1)
        self.assert_whole(read_run(directories[0]), 2)


class WrongInput(Case):
    def test_a_wrong_tree_file_ends_the_job_at_once_and_leaves_the_directory_free(self) -> None:
        tree = self.home / "tree.json"
        rules = '[{"operations": ["MPI_Bcast"], "reduce_tree": "a"}]'
        tree.write_text(f'{{"schema_version": 1,\n "trees": {{"a": {{"shape": "bino"}}}},\n "rules": {rules}}}')
        done = self.launch(*ranks(3, "collectives"), code=None, HOPSCOPE_TREE=str(tree))
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stdout, "")
        lines = [line for line in done.stderr.splitlines() if line.startswith("hopscope:")]
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertIn(f"{tree}:2:", lines[0])
        self.launch(*ranks(3, "collectives"))
        self.assert_whole(read_run(self.trace), 3)

    def test_an_unknown_shape_and_a_missing_file_are_named(self) -> None:
        done = self.launch(*ranks(2, "collectives"), code=None, HOPSCOPE_TREE="bush")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("hopscope: HOPSCOPE_TREE=bush: no file, shape or algorithm has this name", done.stderr)
        done = self.launch(*ranks(2, "collectives"), code=None, HOPSCOPE_TOPOLOGY="/no/topology.json")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("hopscope: /no/topology.json: No such file", done.stderr)


if __name__ == "__main__":
    unittest.main()
