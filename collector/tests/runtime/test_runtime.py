"""The preload under real mpirun: results stay the same, and the spools say what happened.

Run by ctest, which names the flavour, the preload, the test programs and the launcher in the environment.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections import Counter, defaultdict
from pathlib import Path

import sanitizer_reports
from read_spool import Record, Run, Spool, function_numbers, read_run

FLAVOUR = os.environ["HOPSCOPE_TEST_FLAVOUR"]
PRELOAD = os.environ["HOPSCOPE_TEST_PRELOAD"]
PROGRAMS = Path(os.environ["HOPSCOPE_TEST_PROGRAMS"])
MPIEXEC = os.environ["HOPSCOPE_TEST_MPIEXEC"]
SANITIZED = os.environ.get("HOPSCOPE_TEST_SANITIZE", "OFF") != "OFF"
HEADERS = Path(__file__).parents[2] / "include" / "hopscope"
NUMBERS = function_numbers(HEADERS / "functions.h")
NAMES = {number: name for name, number in NUMBERS.items()}


def launcher() -> list[str]:
    if FLAVOUR != "openmpi":
        return [MPIEXEC]
    # Root and more ranks than cores are normal in containers.
    return [MPIEXEC, "--oversubscribe"] + (["--allow-run-as-root"] if os.geteuid() == 0 else [])


def ranks(n: int, program: str, *arguments: str, preload: bool = True, before: str = "") -> list[str]:
    """Each rank writes to a file of its own: launchers mix lines. `before` is shell text that comes first."""
    carried = f"LD_PRELOAD={PRELOAD} " if preload else ""
    number = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
    return [
        "-n",
        str(n),
        "sh",
        "-c",
        f'{before}{carried}exec "$0" "$@" >out.{number}',
        str(PROGRAMS / program),
        *arguments,
    ]


def calls(spool: Spool, function: str) -> list[Record]:
    return [r for r in spool.of("ENTER") if r.region == NUMBERS[function]]


class Case(unittest.TestCase):
    def setUp(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="hopscope-test-"))
        self.addCleanup(shutil.rmtree, self.home, ignore_errors=True)
        self.trace = self.home / "trace"

    def launch(self, *words: str, code: int | None = 0, **settings: str) -> subprocess.CompletedProcess[str]:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("HOPSCOPE_")}
        environment |= {"HOPSCOPE_DIR": str(self.trace), "HOPSCOPE_ASSEMBLE": "0", **settings}
        if SANITIZED:
            environment |= sanitizer_reports.options(self.home)
        done = subprocess.run(
            [*launcher(), *words],
            env=environment,
            cwd=self.home,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        self.assertEqual(done.stdout, "")
        outputs = sorted(self.home.glob("out.*"))
        done.stdout = "".join(path.read_text() for path in outputs)
        for path in outputs:
            path.unlink()
        self.assertEqual(sanitizer_reports.faults(self.home), [])
        if code is not None:
            self.assertEqual(done.returncode, code, f"{words}\n{done.stdout}\n{done.stderr}")
        return done

    def both_ways(self, n: int, program: str, *arguments: str, **settings: str) -> tuple[Run, str]:
        """Runs without and with the preload; stdout must be the same. The spools, and what was said on stderr."""
        bare = self.launch(*ranks(n, program, *arguments, preload=False))
        seen = self.launch(*ranks(n, program, *arguments), **settings)
        self.assertEqual(bare.stdout, seen.stdout)
        self.assertTrue(bare.stdout)
        return read_run(self.trace), seen.stderr

    def assert_whole(self, run: Run, n: int) -> None:
        """Every spool is closed, in order of time, with as many enters as leaves, never one inside another."""
        self.assertEqual(sorted(run.definitions), list(range(n)))
        for spool in run.spools:
            self.assertEqual(spool.state, "closed")
            ticks = [r.ticks for r in spool.records]
            self.assertEqual(ticks, sorted(ticks))
            inside = None
            for record in spool.of("ENTER", "LEAVE"):
                if record.kind == "ENTER":
                    self.assertIsNone(inside)
                    inside = record.region
                else:
                    self.assertEqual(inside, record.region)
                    inside = None
            self.assertIsNone(inside)
        for rank in range(n):
            self.assertEqual(run.definitions[rank][-1]["def"], "end")
            self.assertGreaterEqual(len(run.defs(rank, "clock")), 2)


class Preload(Case):
    def test_programs_without_mpi_run_silently(self) -> None:
        for command in (["/bin/true"], ["sh", "-c", ":"], [sys.executable, "-c", "pass"]):
            done = subprocess.run(command, env=os.environ | {"LD_PRELOAD": PRELOAD}, capture_output=True, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))

    def test_exactly_the_listed_functions_are_exported_and_nothing_of_mpi_is_left_open(self) -> None:
        symbols = subprocess.run(["nm", "-D", PRELOAD], capture_output=True, text=True, check=True).stdout.splitlines()
        exported = {line.split()[-1] for line in symbols if " T " in line or " W " in line}
        needed = subprocess.run(["ldd", PROGRAMS / "collectives"], capture_output=True, text=True, check=True).stdout
        library = next(line.split()[2] for line in needed.splitlines() if re.search(r"lib(mpi|mpich)\.so", line))
        there = subprocess.run(["nm", "-D", library], capture_output=True, text=True, check=True).stdout
        its = set(re.findall(r" [TW] (MPI_\w+)", there))
        self.assertEqual({name for name in exported if name.startswith("MPI_")} - its, set(), "the library lacks them")
        listed = {name.removesuffix("_c") for name in exported if name.startswith("MPI_")}
        self.assertEqual(listed, set(NUMBERS) & its)
        others = {name for name in exported if not name.startswith("MPI_")} - {"_init", "_fini"}
        fortran = {name for name in others if re.fullmatch(r"mpi_\w+_", name)}
        self.assertEqual(others - fortran, set())
        self.assertEqual(
            {re.sub(r"(_f08(ts)?)?(_large)?_$", "", name) for name in fortran}, {name.lower() for name in NUMBERS}
        )
        left_open = [line for line in symbols if " U " in line and "mpi" in line.lower()]
        self.assertEqual(left_open, [])

    def test_another_mpi_library_is_refused_in_a_sentence(self) -> None:
        other = "mpich" if FLAVOUR == "openmpi" else "openmpi"
        compiler = shutil.which(f"mpicc.{other}")
        if not compiler:
            self.skipTest(f"no mpicc.{other} here to build a program of the other MPI")
        program = self.home / "other"
        source = Path(__file__).parent / "forking.c"
        subprocess.run([compiler, str(source), "-o", str(program)], check=True, capture_output=True)
        done = subprocess.run(
            [str(program)], env=os.environ | {"LD_PRELOAD": PRELOAD}, capture_output=True, text=True, check=False
        )
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(
            done.stderr, r"^hopscope: libhopscope-[a-z]+-\d+\.so is preloaded, but this program's MPI library is not"
        )

    def test_a_singleton_needs_no_launcher(self) -> None:
        environment = os.environ | {"LD_PRELOAD": PRELOAD, "HOPSCOPE_DIR": str(self.trace), "HOPSCOPE_ASSEMBLE": "0"}
        done = subprocess.run([PROGRAMS / "forking"], env=environment, capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "child 7\n")
        run = read_run(self.trace)
        self.assert_whole(run, 1)
        self.assertEqual(len(calls(run.spools[0], "MPI_Barrier")), 2)
        self.assertEqual(calls(run.spools[0], "MPI_Wait"), [], "the forked child wrote into its parent's spool")


class Recording(Case):
    def test_collectives_give_the_same_results_and_are_counted_alike_on_all_ranks(self) -> None:
        run, said = self.both_ways(4, "collectives")
        self.assertNotIn("hopscope", said)
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
        self.assertEqual(bytes_of[2, "MPI_Gatherv"], {(8, 12), (8, 0)})  # counts 0 1 2 0: rank 2 has two ints of three
        self.assertEqual(bytes_of[3, "MPI_Alltoallw"], {(16, 16)})
        self.assertEqual(bytes_of[3, "MPI_Reduce_scatter"], {(16, 4)})
        self.assertEqual(bytes_of[0, "MPI_Exscan"], {(8, 0)})
        self.assertEqual(bytes_of[3, "MPI_Neighbor_alltoall"], {(8, 8)})
        self.assertEqual(bytes_of[0, "MPI_Barrier"], {(0, 0)})

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
        self.assertEqual(len(calls(spool, "MPI_Wait")), 100000)
        self.assertGreater(len(spool.of("OVERHEAD_BEGIN")), 100)
        self.assertEqual(len(spool.of("OVERHEAD_BEGIN")), len(spool.of("OVERHEAD_END")))

    def test_an_abort_and_an_exit_leave_readable_spools(self) -> None:
        self.launch(*ranks(1, "errors", "abort"), code=None)
        run = read_run(self.trace)
        self.assertEqual(run.definitions[0][-1]["how"], "abort")
        self.assertEqual(len(calls(run.spools[0], "MPI_Abort")), 1)
        shutil.rmtree(self.trace)
        self.launch(*ranks(1, "errors", "exit"), code=None)
        run = read_run(self.trace)
        self.assertEqual(run.spools[0].state, "open")
        self.assertEqual(len(calls(run.spools[0], "MPI_Wait")), 100000)

    def test_an_archive_of_an_incomplete_run_is_not_called_missing(self) -> None:
        limit = ranks(2, "errors", before="ulimit -f 14000; ")
        done = self.launch(*limit, HOPSCOPE_SPOOL_CHUNK_BYTES="20480", HOPSCOPE_ASSEMBLE="1")
        self.assertIn("the archive was made of what there is: missing: ", done.stderr)
        self.assertTrue((self.trace / "traces.otf2").exists())

    def test_recording_stops_in_a_sentence_where_files_may_grow_no_further(self) -> None:
        # 7 MB: enough for the MPI library's own shared memory, too little for the 8 MB of 200,000 records.
        done = self.launch(*ranks(2, "errors", before="ulimit -f 14000; "), HOPSCOPE_SPOOL_CHUNK_BYTES="20480")
        self.assertIn("errno 77", done.stdout)
        self.assertRegex(done.stderr, rf"hopscope: recording stopped on rank \d in {self.trace}: .*File too large")
        run = read_run(self.trace)
        self.assertEqual({s.state for s in run.spools}, {"stopped"})
        self.assertIn("File too large", run.spools[0].reason)
        self.assertGreater(len(calls(run.spools[0], "MPI_Wait")), 500)


class Started(Case):
    """Collectives that return before they are done."""

    ROUNDS = 1 if FLAVOUR == "mpich" else 3  # as in started.c
    BLOCKING = (
        "Barrier Bcast Reduce Allreduce Gather Gatherv Scatter Scatterv Allgather Allgatherv Alltoall Alltoallv "
        "Alltoallw Reduce_scatter Reduce_scatter_block Scan Exscan Neighbor_allgather Neighbor_allgatherv "
        "Neighbor_alltoall Neighbor_alltoallv Neighbor_alltoallw"
    ).split()

    def expected(self) -> Counter[str]:
        """How often each rank of started.c begins what."""
        nonblocking = Counter({f"MPI_I{name.lower()}": 1 for name in self.BLOCKING})
        nonblocking += Counter({"MPI_Ibarrier": 1, "MPI_Ibcast": 1, "MPI_Iallreduce": 4})
        if not self.has_persistent():
            return nonblocking
        persistent = Counter({f"MPI_{name}_init": self.ROUNDS for name in self.BLOCKING})
        return nonblocking + persistent + Counter({"MPI_Barrier_init": 1, "MPI_Allreduce_init": 1})

    def has_persistent(self) -> bool:
        symbols = subprocess.run(["nm", "-D", PRELOAD.split(":")[-1]], capture_output=True, text=True, check=True).stdout
        return " T MPI_Allreduce_init\n" in symbols

    def test_every_one_is_begun_and_completed_once_by_whichever_wait_or_test(self) -> None:
        run, said = self.both_ways(4, "started")
        self.assertNotIn("hopscope", said)
        self.assert_whole(run, 4)
        for spool in run.spools:
            begun = {r.c: r for r in spool.of("COLLECTIVE_REQUEST")}
            ended = {r.c & (2**40 - 1): r for r in spool.of("COLLECTIVE_COMPLETE")}
            self.assertEqual(len(begun), len(spool.of("COLLECTIVE_REQUEST")))
            self.assertEqual(len(ended), len(spool.of("COLLECTIVE_COMPLETE")))
            self.assertEqual(set(begun), set(ended))
            for request, record in begun.items():
                self.assertEqual((record.region, record.comm), (ended[request].region, ended[request].comm))
                self.assertLessEqual(record.ticks, ended[request].ticks)
            self.assertEqual(Counter(NAMES[r.region] for r in begun.values()), self.expected())

    def test_members_number_them_alike_also_where_they_start_in_different_orders(self) -> None:
        run, _ = self.both_ways(4, "started")
        functions: dict[tuple[str, int], set[str]] = defaultdict(set)
        members: Counter[tuple[str, int]] = Counter()
        for spool in run.spools:
            comms = run.comms(spool.rank)
            blocking = [
                r for r in spool.of("ENTER") if r.comm and NAMES[r.region].removeprefix("MPI_") in self.BLOCKING
            ]
            for r in spool.of("COLLECTIVE_REQUEST") + blocking:
                functions[comms[r.comm]["key"], r.b].add(NAMES[r.region])
                members[comms[r.comm]["key"], r.b] += 1
        self.assertTrue(all(len(names) == 1 for names in functions.values()), functions)
        world = next(c["key"] for c in run.comms(0).values() if c["name"] == "MPI_COMM_WORLD")
        numbers = sorted(seq for key, seq in members if key == world)
        own = [seq for seq in numbers if seq < 2**32]
        self.assertEqual(own, list(range(20)))  # 17, two more and the blocking Allreduce among them
        self.assertEqual({members[world, seq] for seq in numbers}, {4})
        if self.has_persistent():
            apart = [divmod(seq, 2**32) for seq in numbers[20:]]
            rounds = [(number, start) for number in range(1, 18) for start in range(self.ROUNDS)]
            self.assertEqual(apart, [*rounds, (18, 0), (19, 0)])

    def test_bytes_and_roots_are_those_of_the_blocking_ones(self) -> None:
        run, _ = self.both_ways(4, "started")
        ends: dict[tuple[int, str], set[tuple[int, int, int]]] = defaultdict(set)
        for spool in run.spools:
            for r in spool.of("COLLECTIVE_COMPLETE"):
                ends[spool.rank, NAMES[r.region]].add((r.a, r.b, r.c >> 40))
        self.assertEqual(ends[2, "MPI_Ireduce"], {(8, 8, 3)})
        self.assertEqual(ends[1, "MPI_Igather"], {(8, 32, 2)})
        self.assertEqual(ends[0, "MPI_Iexscan"], {(8, 0, 0)})
        self.assertEqual(ends[3, "MPI_Ialltoallw"], {(16, 16, 0)})
        self.assertEqual(ends[3, "MPI_Ineighbor_alltoall"], {(8, 8, 0)})
        # On MPI_COMM_WORLD from rank 1; then from rank 0 to the others' group of an intercommunicator.
        self.assertEqual(ends[0, "MPI_Ibcast"], {(0, 8, 2), (0, 0, 0xFFFFFF)})
        self.assertEqual(ends[2, "MPI_Ibcast"], {(0, 8, 2), (0, 0, 1)})
        blocking = {s.rank: [r.c for r in calls(s, "MPI_Bcast")] for s in run.spools}
        nobody, self_ = 2**64 - 3, 2**64 - 2
        self.assertEqual(blocking, {0: [self_, 0], 1: [0, self_], 2: [0, nobody], 3: [0, nobody]})
        if self.has_persistent():
            self.assertEqual(ends[1, "MPI_Bcast_init"], {(8, 0, 2)})
            self.assertEqual(ends[3, "MPI_Reduce_scatter_init"], {(16, 4, 0)})


class Worlds(Case):
    """Processes that others started, and MPI without MPI_Init."""

    def test_spawned_processes_have_a_trace_of_their_own_inside_their_parents(self) -> None:
        # Not by way of a shell: it is the program that starts itself.
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
            self.skipTest(f"MPI_Comm_spawn does not work here: {bare.stderr.splitlines()[0]}")
        seen = run(*words, HOPSCOPE_DIR=str(self.trace), HOPSCOPE_ASSEMBLE="0", LD_PRELOAD=PRELOAD)
        self.assertEqual((seen.returncode, sorted(seen.stdout.split())), (0, sorted(bare.stdout.split())), seen.stderr)
        self.assertNotIn("hopscope", seen.stderr)
        parents = read_run(self.trace)
        self.assert_whole(parents, 2)
        (place,) = self.trace.glob("spawned-*")
        children = read_run(place)
        self.assert_whole(children, 2)
        for spool in parents.spools + children.spools:
            self.assertEqual(len(calls(spool, "MPI_Barrier")), 1)
            self.assertEqual(len(calls(spool, "MPI_Allreduce")), 1)
            self.assertEqual(len(calls(spool, "MPI_Comm_spawn")), 1 if spool in parents.spools else 0)

    def sessions(self) -> str:
        if not (PROGRAMS / "sessions").exists():
            self.skipTest("this MPI library has no sessions (MPI-4)")
        return "sessions"

    def test_a_session_beside_mpi_init_is_recorded_with_its_communicators(self) -> None:
        run, said = self.both_ways(4, self.sessions(), "init")
        self.assertNotIn("hopscope", said)
        self.assert_whole(run, 4)
        keys = set()
        for spool in run.spools:
            (barrier, other) = calls(spool, "MPI_Barrier")
            (allreduce,) = calls(spool, "MPI_Allreduce")
            self.assertEqual(allreduce.comm, barrier.comm)
            self.assertEqual((allreduce.b, barrier.b, other.b), (0, 1, 0))
            comm = run.comms(spool.rank)[barrier.comm]
            self.assertEqual((comm["size"], comm["rank"]), (4, spool.rank))
            keys.add((comm["key"], run.comms(spool.rank)[other.comm]["key"]))
            self.assertEqual(len(calls(spool, "MPI_Session_init") + calls(spool, "MPI_Session_finalize")), 2)
        self.assertEqual(len(keys), 1)

    def test_without_mpi_init_recording_lasts_from_the_first_session_to_the_last(self) -> None:
        run, said = self.both_ways(4, self.sessions())
        self.assertNotIn("hopscope", said)
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
        without = 'if [ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 1 ]; then exec "$0" "$@" >out.1; fi; '
        seen = self.launch(*ranks(2, program, before=without), HOPSCOPE_PRESENCE_TIMEOUT="1")
        self.assertEqual(seen.stdout, bare.stdout)
        self.assertIn("not every one of 2 ranks carries the collector", seen.stderr)
        run = read_run(self.trace)
        self.assertEqual(list(run.definitions), [0])


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
            begun = Counter(r.c for r in spool.of("ISEND", "IRECV_POST"))
            ended = Counter(r.c for r in spool.of("ISEND_COMPLETE", "IRECV", "REQUEST_CANCELLED"))
            self.assertEqual(begun, ended)
            self.assertEqual(set(begun.values()), {1})
            self.assertEqual(len(spool.of("REQUEST_CANCELLED")), 1)

    def test_polls_that_find_nothing_do_not_flood_the_spool(self) -> None:
        run, _ = self.both_ways(2, "messages")
        for spool in run.spools:
            # 200 requests tested one by one; each success ends a pair, failing polls add a pair only after a gap.
            self.assertGreaterEqual(len(calls(spool, "MPI_Test")), 200)
            self.assertLess(len(calls(spool, "MPI_Test")), 5000)


class Communicators(Case):
    def test_thousands_of_communicators_come_and_go(self) -> None:
        run, _ = self.both_ways(2, "comm_loop", "1000")
        self.assert_whole(run, 2)
        for rank in range(2):
            keys = [c["key"] for c in run.comms(rank).values()]
            self.assertEqual(len(keys), len(set(keys)))
            self.assertEqual(len(keys), 2 + 2000 + (1000 if rank == 0 else 0))

    def test_members_agree_on_the_key_of_a_communicator_of_any_origin(self) -> None:
        run, _ = self.both_ways(4, "comm_origins")
        self.assert_whole(run, 4)
        members: dict[str, set[int]] = defaultdict(set)
        lists: dict[str, list[int]] = {}
        names: dict[str, set[str]] = defaultdict(set)
        for rank in range(4):
            named = {d["id"]: d["name"] for d in run.defs(rank, "comm_name")}
            for number, comm in run.comms(rank).items():
                members[comm["key"]].add(rank)
                names[comm["key"]].add(named.get(number, comm["name"]))
                if comm["inter"] and comm["members"] is not None:
                    # The first rank of each side tells both groups.
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
        found = Counter(next(iter(n)) for n in names.values())
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
        self.assertEqual({n: found[n] for n in everyone}, dict.fromkeys(everyone, 1))
        halves = ("create", "create group", "column", "dup of column")
        self.assertEqual({n: found[n] for n in halves}, dict.fromkeys(halves, 2))
        self.assertEqual(found["MPI_COMM_SELF"], 4)

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
    """The engine's own tests are elsewhere; here it meets everything else that a program does."""

    def test_results_are_the_same_with_collectives_over_a_tree(self) -> None:
        for n, program in ((4, "collectives"), (3, "messages"), (4, "comm_origins"), (2, "threads"), (2, "errors")):
            with self.subTest(program):
                run, said = self.both_ways(n, program, HOPSCOPE_TREE="binomial")
                self.assertNotIn("hopscope", said)
                self.assert_whole(run, n)
                self.assertTrue((self.trace / "tree.json").exists())
                shutil.rmtree(self.trace)

    def test_a_communicator_that_a_callback_freed_is_not_taken_for_the_next_with_its_handle(self) -> None:
        for freeing in ("seen", "unseen"):
            with self.subTest(freeing):
                run, said = self.both_ways(4, "comm_in_attribute", freeing, HOPSCOPE_TREE="binomial")
                self.assertNotIn("hopscope", said)
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


class Presence(Case):
    def test_a_rank_without_the_collector_makes_all_run_natively_and_says_so(self) -> None:
        bare = self.launch(*ranks(3, "collectives", preload=False))
        mixed = self.launch(
            *ranks(2, "collectives"), ":", *ranks(1, "collectives", preload=False),
            HOPSCOPE_TREE="binomial", HOPSCOPE_PRESENCE_TIMEOUT="2",
        )  # fmt: skip
        self.assertEqual(bare.stdout, mixed.stdout)
        said = [line for line in mixed.stderr.splitlines() if line.startswith("hopscope:")]
        self.assertEqual(len(said), 1, mixed.stderr)
        self.assertIn("no sign of it on rank 2", said[0])
        run = read_run(self.trace)
        self.assertEqual(sorted(run.definitions), [0, 1])
        for rank in (0, 1):
            self.assertEqual(run.process(rank)["presence"], "incomplete")
            reasons = {d["id"]: d["text"] for d in run.defs(rank, "reason")}
            given = [r.comm for r in run.of(rank)[0].of("LEAVE") if NAMES[r.region] == "MPI_Allreduce"]
            self.assertEqual({reasons[g] for g in given}, {"collector not on every rank"})

    def test_a_missing_rank_0_is_noticed_by_the_others(self) -> None:
        mixed = self.launch(
            *ranks(1, "collectives", preload=False), ":", *ranks(2, "collectives"), HOPSCOPE_PRESENCE_TIMEOUT="2"
        )
        self.assertIn("no sign of it on rank 0", mixed.stderr)
        self.assertEqual(sorted(read_run(self.trace).definitions), [1, 2])

    def test_a_directory_that_cannot_be_written_is_named_and_the_program_runs(self) -> None:
        bare = self.launch(*ranks(2, "collectives", preload=False))
        seen = self.launch(*ranks(2, "collectives"), HOPSCOPE_DIR="/proc/no/such", HOPSCOPE_TREE="binomial")
        self.assertEqual(bare.stdout, seen.stdout)
        said = [line for line in seen.stderr.splitlines() if line.startswith("hopscope:")]
        self.assertEqual(len(said), 1)
        self.assertIn("/proc/no/such", said[0])

    def test_the_trace_of_another_run_is_left_alone(self) -> None:
        self.launch(*ranks(2, "collectives"))
        before = {p.name: p.read_bytes() for p in (self.trace / "spool").iterdir()}
        seen = self.launch(*ranks(2, "collectives"))
        self.assertRegex(seen.stderr, r"hopscope: .*trace holds the spools of another run.*hopscope recover")
        self.assertEqual(before, {p.name: p.read_bytes() for p in (self.trace / "spool").iterdir()})
        shutil.rmtree(self.trace)
        self.trace.mkdir()
        (self.trace / "run.json").write_text("{}")
        seen = self.launch(*ranks(2, "collectives"))
        self.assertRegex(seen.stderr, r"hopscope: .*trace already holds a trace")
        self.assertEqual([p.name for p in self.trace.iterdir()], ["run.json"])

    def test_without_a_named_directory_one_is_made_for_the_job(self) -> None:
        self.launch(*ranks(2, "collectives"), HOPSCOPE_DIR="")
        made = list(self.home.glob("hopscope-*"))
        self.assertEqual(len(made), 1)
        self.assert_whole(read_run(made[0]), 2)


class WrongInput(Case):
    def test_a_wrong_tree_file_ends_the_job_at_once_and_leaves_the_directory_free(self) -> None:
        tree = self.home / "tree.json"
        rules = '[{"operations": ["MPI_Bcast"], "reduce_tree": "a"}]'
        tree.write_text(f'{{"schema_version": 1,\n "trees": {{"a": {{"shape": "bino"}}}},\n "rules": {rules}}}')
        done = self.launch(*ranks(3, "collectives"), code=None, HOPSCOPE_TREE=str(tree))
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stdout, "")
        said = [line for line in done.stderr.splitlines() if line.startswith("hopscope:")]
        self.assertEqual(len(said), 1, done.stderr)
        self.assertIn(f"{tree}:2:", said[0])
        self.launch(*ranks(3, "collectives"))
        self.assert_whole(read_run(self.trace), 3)

    def test_an_unknown_shape_and_a_missing_file_are_named(self) -> None:
        done = self.launch(*ranks(2, "collectives"), code=None, HOPSCOPE_TREE="bush")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("hopscope: HOPSCOPE_TREE=bush: neither a file nor the name of a shape", done.stderr)
        done = self.launch(*ranks(2, "collectives"), code=None, HOPSCOPE_TOPOLOGY="/no/topology.json")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("hopscope: /no/topology.json: No such file", done.stderr)


if __name__ == "__main__":
    unittest.main()
