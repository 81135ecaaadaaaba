"""The events of an archive are those that the collector recorded."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import jsonschema
import otf2  # type: ignore[import-untyped]
from spooled_trace import Trace, barrier, comm, process, world

SCHEMAS = Path(__file__).parents[2] / "schemas"
NewTrace = Callable[[str], Trace]

TREE = 'def {0} {{"def":"tree","id":1,"name":"binomial"}}\n'
SITE = 'def {0} {{"def":"call_site","id":{1},"module":"/opt/heat","offset":4660,"symbol":"main"}}\n'

# Rank 1 sends its part up at 1050. Rank 0 has waited for it since 1015; it combines, and sends the sum down.
WAITED = 1 << 63
ALLREDUCE = f"""
{world(0, 2, mode='"tree"', tree_file='"{}"')}{TREE.format(0)}{SITE.format(0, 1)}
spool 0 0 closed
1000 ENTER region=MPI_Allreduce comm=1 a=1 b=0 c=none
1010 HOP_IRECV_POST c=1
1015 WAIT_BEGIN
1100 HOP_IRECV region=1 comm=1 peer=1 tag=0 b=8 c={WAITED | 1}
1100 WAIT_END
1110 STEP_BEGIN region=COMBINE b=8
1120 STEP_END region=COMBINE b=8
1130 HOP_ISEND region=1 comm=1 peer=1 tag=1 b=8 c=2
1140 HOP_ISEND_COMPLETE c=2
1150 LEAVE region=MPI_Allreduce a=8 b=16 c=1
{world(1, 2, host="b0", cluster="B")}{TREE.format(1)}
def 1 {{"def":"call_site","id":1,"module":"/opt/other","offset":1,"symbol":null}}
{SITE.format(1, 2)}
spool 1 0 closed
1040 ENTER region=MPI_Allreduce comm=1 a=2 b=0 c=none
1050 HOP_ISEND region=1 comm=1 peer=0 tag=0 b=8 c=1
1060 HOP_ISEND_COMPLETE c=1
1061 HOP_IRECV_POST c=2
1062 WAIT_BEGIN
1160 HOP_IRECV region=1 comm=1 peer=0 tag=1 b=8 c={WAITED | 2}
1160 WAIT_END
1170 LEAVE region=MPI_Allreduce a=8 b=16 c=1
"""


def test_a_collective_on_a_tree_becomes_hops_waits_and_steps(new_trace: NewTrace) -> None:
    trace = new_trace(ALLREDUCE)
    assert trace.assemble() == ""
    hops = 'Communicator: "hops:binomial" <1>'
    assert trace.events(0) == [
        ("ENTER", 1000, 'Region: "MPI_Allreduce" <0>'),
        ("MPI_COLLECTIVE_BEGIN", 1000, ""),
        ("MPI_IRECV_REQUEST", 1010, "Request: 3"),
        ("ENTER", 1015, 'Region: "hop wait" <1>'),
        ("MPI_IRECV", 1100, f'Sender: 1 ("Main thread" <1>), {hops}, Tag: 0, Length: 8, Request: 3'),
        ("LEAVE", 1100, 'Region: "hop wait" <1>'),
        ("ENTER", 1110, 'Region: "combine" <2>'),
        ("LEAVE", 1120, 'Region: "combine" <2>'),
        ("MPI_ISEND", 1130, f'Receiver: 1 ("Main thread" <1>), {hops}, Tag: 1, Length: 8, Request: 4'),
        ("MPI_ISEND_COMPLETE", 1140, "Request: 4"),
        (
            "MPI_COLLECTIVE_END",
            1150,
            'Operation: ALLREDUCE, Communicator: "MPI_COMM_WORLD" <0>, Root: NONE, Sent: 8, Received: 16',
        ),
        ("LEAVE", 1150, 'Region: "MPI_Allreduce" <0>'),
    ]


def test_the_otf2_package_reads_the_same_events(new_trace: NewTrace) -> None:
    trace = new_trace(ALLREDUCE)
    trace.assemble()
    first = [(kind, time) for group, kind, time in trace.python_events() if group == "MPI Rank 0"]
    assert first == [
        ("Enter", 1000),
        ("MpiCollectiveBegin", 1000),
        ("MpiIrecvRequest", 1010),
        ("Enter", 1015),
        ("MpiIrecv", 1100),
        ("Leave", 1100),
        ("Enter", 1110),
        ("Leave", 1120),
        ("MpiIsend", 1130),
        ("MpiIsendComplete", 1140),
        ("MpiCollectiveEnd", 1150),
        ("Leave", 1150),
    ]


def test_a_reader_that_walks_all_definitions_and_attributes_finds_them_whole(new_trace: NewTrace) -> None:
    """Reads as Pipit does: every field of every definition, then all events, location by location."""
    trace = new_trace(ALLREDUCE)
    trace.assemble()
    with otf2.reader.open(str(trace.directory / "traces.otf2")) as archive:
        registries = {name: value for name, value in vars(archive.definitions).items() if "otf2" not in name}
        assert registries["clock_properties"].timer_resolution == 1_000_000_000
        fields = 0
        for name, registry in registries.items():
            for definition in [registry] if name == "clock_properties" else registry:
                for field in definition._fields:
                    getattr(definition, str(field.name))
                    fields += 1
        assert fields > 100
        locations = list(archive.definitions._locations)
    for number, location in enumerate(locations):
        assert str(location.type) == "LocationType.CPU_THREAD"
        with otf2.reader.open(str(trace.directory / "traces.otf2")) as archive:
            events = [event for _, event in archive.events([list(archive.definitions._locations)[number]])]
        assert len(events) == location.number_of_events
        assert {event.region.name for event in events if hasattr(event, "region")} >= {"MPI_Allreduce", "hop wait"}


def test_one_call_site_is_one_region_whatever_its_number_in_a_process(new_trace: NewTrace) -> None:
    trace = new_trace(ALLREDUCE)
    trace.assemble()
    regions = [line for line in trace.definitions("REGION") if "MPI_Allreduce" in line]
    assert len(regions) == 1
    assert "Role: COLL_ALL2ALL" in regions[0]
    assert "/opt/heat+0x1234" in regions[0]


def test_a_call_site_in_a_wrapper_names_the_callers_that_tell_it_apart(new_trace: NewTrace) -> None:
    """All addresses are in /opt/heat. `sum` at 0x10 is called by `mean` at 0x20, and `mean` by `step` at 0x30 and 0x34.
    `share` at 0x40 has one caller. `exchange` calls at 0x50 and 0x54 and is no wrapper, whoever calls it."""
    functions = {0x10: 0x10, 0x20: 0x20, 0x30: 0x30, 0x34: 0x30, 0x40: 0x40, 0x50: 0x50, 0x54: 0x50}
    frames = {1: 0x20, 2: 0x30, 3: 0x34}
    sites = {1: (0x10, [1, 2]), 2: (0x10, [1, 3]), 3: (0x40, [2]), 4: (0x50, [2]), 5: (0x50, [3]), 6: (0x54, [3])}
    definition = 'def 0 {{"def":"{}","id":{},"module":"/opt/heat","offset":{},"begin":{},"symbol":null{}}}\n'
    text = process(0, 1)
    for number, offset in frames.items():
        text += definition.format("frame", number, offset, functions[offset], "")
    for number, (offset, callers) in sites.items():
        text += definition.format("call_site", number, offset, functions[offset], f',"callers":{callers}')
    text += "spool 0 0 closed\n"
    for number in sites:
        text += f"{2 * number} ENTER region=MPI_Init a={number}\n{2 * number + 1} LEAVE region=MPI_Init\n"
    trace = new_trace(text)
    trace.assemble()
    regions = "".join(line for line in trace.definitions("REGION") if "MPI_Init" in line)
    assert sorted(re.findall(r'"(/opt/heat[^"]*)"', regions)) == [
        "/opt/heat+0x10 from /opt/heat+0x20 from /opt/heat+0x30",
        "/opt/heat+0x10 from /opt/heat+0x20 from /opt/heat+0x34",
        "/opt/heat+0x40",
        "/opt/heat+0x50",
        "/opt/heat+0x54",
    ]


def test_a_line_of_python_is_one_region_for_each_function_in_it(new_trace: NewTrace) -> None:
    """Two ranks number their call sites differently. One line has a function and a lambda."""
    line = 'def {0} {{"def":"call_site","id":{1},"file":"/u/solve.py","line":{2},"function":"{3}"}}\n'
    python = 'def 1 {"def":"python","version":"3.11.7","off":null}\n'
    first = line.format(0, 1, 42, "Solver.step") + line.format(0, 2, 42, "Solver.step.<locals>.<lambda>")
    second = line.format(1, 7, 42, "Solver.step") + line.format(1, 3, -1, "Solver.step") + python
    calls = (
        "spool {0} 0 closed\n1 ENTER region=MPI_Init a={1}\n2 LEAVE region=MPI_Init\n3 ENTER region=MPI_Init a={2}\n"
    )
    trace = new_trace(process(0, 2) + first + calls.format(0, 1, 2) + process(1, 2) + second + calls.format(1, 7, 3))
    trace.assemble()
    regions = sorted(line for line in trace.definitions("REGION") if "MPI_Init" in line)
    assert len(regions) == 3
    assert all("/u/solve.py" in region for region in regions)
    assert sum("Begin: 42" in region for region in regions) == 2
    assert sum("called from Solver.step.<locals>.<lambda>" in region for region in regions) == 1
    assert json.loads((trace.directory / "run.json").read_text())["python"] == {"version": "3.11.7", "off": None}


def test_modules_are_in_the_facts_once_each_as_one_build(new_trace: NewTrace) -> None:
    """Two ranks ran one program, the third rank another build of the same name."""
    module = 'def {0} {{"def":"module","id":{1},"name":"/opt/heat","path":"/opt/heat","build_id":{2}}}\n'
    library = 'def 1 {"def":"module","id":1,"name":"libsolve.so","path":"/opt/libsolve.so","build_id":null}\n'
    trace = new_trace(
        "".join(
            process(rank, 3)
            + definitions
            + f"spool {rank} 0 closed\n1 ENTER region=MPI_Init\n2 LEAVE region=MPI_Init\n"
            for rank, definitions in enumerate(
                [module.format(0, 1, '"6b21"'), library + module.format(1, 2, '"6b21"'), module.format(2, 1, '"77aa"')]
            )
        )
    )
    trace.assemble()
    facts = json.loads((trace.directory / "run.json").read_text())
    jsonschema.validate(facts, json.loads((SCHEMAS / "run.schema.json").read_text()))
    assert [(module["name"], module["path"], module["build_id"]) for module in facts["modules"]] == [
        ("/opt/heat", "/opt/heat", "6b21"),
        ("libsolve.so", "/opt/libsolve.so", None),
        ("/opt/heat", "/opt/heat", "77aa"),
    ]


def test_hosts_and_clusters_are_the_topologys(new_trace: NewTrace) -> None:
    trace = new_trace(ALLREDUCE)
    trace.assemble()
    nodes = trace.definitions("SYSTEM_TREE_NODE")
    assert [line.split('"')[1] for line in nodes] == ["machine", "A", "a0", "B", "b0"]
    groups = trace.definitions("LOCATION_GROUP")
    assert 'Parent: "node::a0"' in groups[0]
    assert 'Parent: "node::b0"' in groups[1]


def test_run_json_holds_against_its_schema_and_is_in_the_archive(new_trace: NewTrace) -> None:
    trace = new_trace(ALLREDUCE)
    trace.assemble()
    text = (trace.directory / "run.json").read_text()
    facts = json.loads(text)
    jsonschema.validate(facts, json.loads((SCHEMAS / "run.schema.json").read_text()))
    assert (facts["mode"], facts["world_size"], facts["complete"]) == ("tree", 2, True)
    assert (facts["hosts"], facts["clusters"]) == (["a0", "b0"], ["A", "B"])
    assert facts["events"] == 22
    assert text in "\n".join(trace.print("-A")) + "\n"


def test_run_json_has_the_settings_of_the_mpi_library(new_trace: NewTrace) -> None:
    bcast = {"name": "coll_tuned_bcast_algorithm", "asked": "99", "value": "0", "source": "environment", "text": None}
    rules = {**bcast, "name": "coll_tuned_dynamic_rules_filename", "text": "1 7\n0\n"}
    lines = [f"def 0 {json.dumps({'def': 'setting', **setting})}\n" for setting in (bcast, rules)]
    trace = new_trace(ALLREDUCE + "".join(lines))
    trace.assemble()
    facts = json.loads((trace.directory / "run.json").read_text())
    jsonschema.validate(facts, json.loads((SCHEMAS / "run.schema.json").read_text()))
    assert facts["settings"] == [bcast, rules]


def test_a_whole_run_leaves_only_the_trace(new_trace: NewTrace) -> None:
    trace = new_trace(ALLREDUCE)
    (trace.directory / "presence").mkdir()
    trace.assemble()
    left = sorted(path.name for path in trace.directory.iterdir())
    assert left == ["run.json", "traces", "traces.def", "traces.otf2", "tree.json"]
    assert (trace.directory / "tree.json").read_text() == "{}"


def test_why_a_collective_went_native_is_on_its_leave(new_trace: NewTrace) -> None:
    trace = new_trace(
        world(0, 1)
        + 'def 0 {"def":"reason","id":1,"text":"intercommunicator"}\nspool 0 0 closed\n'
        + "10 ENTER region=MPI_Bcast comm=1 b=0 c=0\n20 LEAVE region=MPI_Bcast comm=1 a=4 b=0\n"
        + "30 ENTER region=MPI_Bcast comm=1 b=1 c=0\n40 LEAVE region=MPI_Bcast comm=0 a=4 b=0 c=1\n"
        + "50 ENTER region=MPI_Bcast comm=1 b=2 c=0\n60 LEAVE region=MPI_Bcast comm=0 a=4 b=0 c=0\n"
    )
    trace.assemble()
    leaves = [attributes for name, _, attributes in trace.events(0) if name == "LEAVE"]
    assert "native:intercommunicator" in leaves[0]
    assert '"tree"' in leaves[1]
    assert "hopscope::engine" not in leaves[2]
    ends = [attributes for name, _, attributes in trace.events(0) if name == "MPI_COLLECTIVE_END"]
    assert "Root: 0" in ends[0]


def test_the_name_of_the_algorithm_is_on_the_leave_by_each_ranks_own_number(new_trace: NewTrace) -> None:
    """Rank 1 was killed. Its file contains the definitions that its records use."""
    define = 'def {} {{"def":"algorithm","id":{},"name":"{}"}}\n'
    trace = new_trace(
        world(0, 2)
        + define.format(0, 1, "ring")
        + define.format(0, 2, "binomial")
        + "spool 0 0 closed\n"
        + f"10 ENTER region=MPI_Bcast comm=1 b=0 c=0\n20 LEAVE region=MPI_Bcast comm=0 a=4 b=0 c={2 << 32}\n"
        + f"30 ENTER region=MPI_Bcast comm=1 b=1 c=0\n40 LEAVE region=MPI_Bcast comm=0 a=4 b=0 c={9 << 32}\n"
        + world(1, 2)
        + define.format(1, 1, "binomial")
        + "spool 1 0 open\n"
        + f"11 ENTER region=MPI_Bcast comm=1 b=0 c=0\n21 LEAVE region=MPI_Bcast comm=0 a=0 b=4 c={1 << 32}\n"
        + "31 ENTER region=MPI_Bcast comm=1 b=1 c=0\n"
    )
    trace.assemble()
    leaves = [[attributes for name, _, attributes in trace.events(rank) if name == "LEAVE"] for rank in (0, 1)]
    assert ['("hopscope::algorithm"' in leaf and '"binomial"' in leaf for leaf in leaves[0]] == [True, False]
    assert ['"binomial"' in leaf for leaf in leaves[1]] == [True]
    assert "hopscope::engine" not in str(leaves)
    strings = "".join(trace.definitions("STRING"))
    assert (strings.count('"binomial"'), strings.count('"ring"')) == (1, 0)


def test_messages_of_the_application_keep_peer_tag_and_bytes(new_trace: NewTrace) -> None:
    trace = new_trace(
        world(0, 2)
        + "spool 0 0 closed\n"
        + "10 ENTER region=MPI_Send\n10 SEND comm=1 peer=1 tag=7 b=100\n20 LEAVE region=MPI_Send\n"
        + "30 ENTER region=MPI_Isend\n30 ISEND comm=1 peer=1 tag=8 b=200 c=5\n31 LEAVE region=MPI_Isend\n"
        + "32 ENTER region=MPI_Irecv\n32 IRECV_POST c=6\n33 LEAVE region=MPI_Irecv\n"
        + "40 ENTER region=MPI_Waitall\n50 ISEND_COMPLETE c=5\n50 REQUEST_CANCELLED c=6\n50 LEAVE region=MPI_Waitall\n"
        + world(1, 2)
        + "spool 1 0 closed\n"
        + "12 ENTER region=MPI_Recv\n22 RECV comm=1 peer=0 tag=7 b=100\n22 LEAVE region=MPI_Recv\n"
        + "23 ENTER region=MPI_Irecv\n23 IRECV_POST c=1\n24 LEAVE region=MPI_Irecv\n"
        + "25 ENTER region=MPI_Wait\n45 IRECV comm=1 peer=0 tag=8 b=200 c=1\n45 LEAVE region=MPI_Wait\n"
    )
    assert trace.assemble() == ""
    comm = 'Communicator: "MPI_COMM_WORLD" <0>'
    sender = [event for event in trace.events(0) if event[0].startswith("MPI_")]
    assert sender == [
        ("MPI_SEND", 10, f'Receiver: 1 ("Main thread" <1>), {comm}, Tag: 7, Length: 100'),
        ("MPI_ISEND", 30, f'Receiver: 1 ("Main thread" <1>), {comm}, Tag: 8, Length: 200, Request: 10'),
        ("MPI_IRECV_REQUEST", 32, "Request: 12"),
        ("MPI_ISEND_COMPLETE", 50, "Request: 10"),
        ("MPI_REQUEST_CANCELLED", 50, "Request: 12"),
    ]
    receiver = [event for event in trace.events(1) if event[0].startswith("MPI_")]
    assert receiver[0] == ("MPI_RECV", 22, f'Sender: 0 ("Main thread" <0>), {comm}, Tag: 7, Length: 100')
    assert receiver[2] == ("MPI_IRECV", 45, f'Sender: 0 ("Main thread" <0>), {comm}, Tag: 8, Length: 200, Request: 2')


def test_communicators_of_equal_key_are_one_and_know_their_members(new_trace: NewTrace) -> None:
    # Rank 0 of the second communicator is world rank 2. It does not list the members, so each member reports its own
    # rank.
    script = ""
    for rank in range(3):
        script += process(rank, 3)
        script += comm(rank, 1, 16 + rank, [rank], name="MPI_COMM_SELF")
        script += comm(rank, 2, 1, [0, 1, 2], name="MPI_COMM_WORLD")
        if rank != 1:
            script += comm(rank, 3, 9, [2, 0], tell=False)
            script += f'def {rank} {{"def":"comm_name","id":3,"name":"edges"}}\n'
        script += f"spool {rank} 0 closed\n" + barrier(rank, 10, 20, comm=1)
        if rank != 1:
            script += barrier(rank, 30, 40, comm=3)
    trace = new_trace(script)
    assert trace.assemble() == ""
    assert [line.split('"')[1] for line in trace.definitions("COMM")] == ["MPI_COMM_WORLD", "MPI_COMM_SELF", "edges"]
    groups = trace.definitions("GROUP")
    assert sum("COMM_SELF" in group for group in groups) == 1
    assert any('2 Members: 2 ("Main thread" <2>), 0 ("Main thread" <0>)' in group for group in groups)


def test_intercommunicators_have_two_groups(new_trace: NewTrace) -> None:
    script = ""
    sides = {0: ([0, 2], [1]), 1: ([1], [0, 2]), 2: ([0, 2], [1])}
    for rank, (local, remote) in sides.items():
        first = local.index(rank) == 0
        script += world(rank, 3) + (
            f'def {rank} {{"def":"comm","id":2,"key":"99","parent":"01","name":"","size":{len(local)},'
            f'"rank":{local.index(rank)},"members":{local if first else "null"},'
            f'"remote":{remote if first else "null"},"inter":true}}\n'
        )
        script += f"spool {rank} 0 closed\n" + barrier(rank, 30, 40, comm=2)
    trace = new_trace(script)
    assert trace.assemble() == ""
    (inter,) = trace.definitions("INTER_COMM")
    groups = trace.definitions("GROUP")
    first = next(i for i, group in enumerate(groups) if '2 Members: 0 ("Main thread" <0>), 2 ("Main' in group)
    second = next(i for i, group in enumerate(groups) if '1 Member: 1 ("Main thread" <1>)' in group)
    assert f'Group A: "" <{first}>' in inter
    assert f'Group B: "" <{second}>' in inter


def test_an_intercommunicator_whose_groups_nobody_told_keeps_its_collectives(new_trace: NewTrace) -> None:
    script = ""
    for rank in range(2):
        script += world(rank, 2) + (
            f'def {rank} {{"def":"comm","id":2,"key":"99","parent":"01","name":"","size":1,"rank":0,'
            '"members":null,"inter":true}\n'
        )
        script += f"spool {rank} 0 closed\n" + barrier(rank, 30, 40, comm=2) + "50 SEND comm=2 peer=0 tag=1 b=1\n"
    trace = new_trace(script)
    assert "2 message(s) on intercommunicators whose groups are unknown" in trace.assemble()
    assert len(trace.events(0)) == 4
    assert 'Group: "" <2>' in trace.definitions("COMM")[1]


def test_threads_are_locations_of_their_rank(new_trace: NewTrace) -> None:
    trace = new_trace(
        world(0, 1)
        + "spool 0 0 closed\n"
        + barrier(0, 10, 20, 0)
        + "spool 0 1 closed\n"
        + barrier(0, 30, 40, 1)
        + barrier(0, 50, 60, 2)
    )
    assert trace.assemble() == ""
    second = trace.events(1 << 32)
    # The thread's first call is the communicator's second, so the event has its number.
    assert "hopscope::seq" in second[0][2]
    assert [(name, time) for name, time, _ in second if name in ("ENTER", "LEAVE")] == [
        ("ENTER", 30),
        ("LEAVE", 40),
        ("ENTER", 50),
        ("LEAVE", 60),
    ]
    assert "hopscope::seq" not in second[4][2]


def test_the_collectors_own_time_is_a_region_and_a_fact(new_trace: NewTrace) -> None:
    trace = new_trace(world(0, 1) + "spool 0 0 closed\n10 OVERHEAD_BEGIN\n35 OVERHEAD_END\n")
    trace.assemble()
    assert [time for _, time, _ in trace.events(0)] == [10, 35]
    assert 'Region: "collector overhead"' in trace.events(0)[0][2]
    assert json.loads((trace.directory / "run.json").read_text())["overhead_ns"] == 25


THREADS = f"""
{world(0, 1)}spool 0 0 closed
10 ENTER region=MPI_Init
20 LEAVE region=MPI_Init
40 JOIN_BEGIN
95 JOIN_END
spool 0 1 closed
30 IDLE_BEGIN
30 IDLE_END
35 ENTER region=MPI_Wait
36 LEAVE region=MPI_Wait
50 ENTER region=MPI_Recv comm=1 b=0
60 IDLE_BEGIN
70 IDLE_END
72 ENTER region=MPI_Wait
74 LEAVE region=MPI_Wait
90 IDLE_BEGIN
"""


def test_threads_that_follow_one_another_in_a_spool_are_parted_and_end_what_they_left_open(new_trace: NewTrace) -> None:
    trace = new_trace(THREADS)
    assert trace.assemble() == ""
    regions = [(name, time, detail.split('"')[1]) for name, time, detail in trace.events(0)]
    assert regions[2:] == [("ENTER", 40, "thread join"), ("LEAVE", 95, "thread join")]
    assert [(name, time, detail.split('"')[1]) for name, time, detail in trace.events(1 << 32)] == [
        ("ENTER", 30, "no thread"),
        ("LEAVE", 30, "no thread"),
        ("ENTER", 35, "MPI_Wait"),
        ("LEAVE", 36, "MPI_Wait"),
        ("ENTER", 50, "MPI_Recv"),
        ("LEAVE", 60, "MPI_Recv"),
        ("ENTER", 60, "no thread"),
        ("LEAVE", 70, "no thread"),
        ("ENTER", 72, "MPI_Wait"),
        ("LEAVE", 74, "MPI_Wait"),
        ("ENTER", 90, "no thread"),
    ]
