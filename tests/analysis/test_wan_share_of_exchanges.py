"""The WAN share of clusters for messages between peers: the chain of hops that a cluster's last rank waited for.

Regression: the share was missing for every run by the MPI library and for recursive doubling, and 0.0 % for leaders.
"""

from pathlib import Path

import hopscope
from drawing import cells, draw, expected

RANKS = """
rank host cluster
0    a    A
1    a    A
2    b    B
3    b    B
"""
COLUMNS = ("scope", "share", "hops", "bytes", "crossings", "path_ns", "wan_ns", "waiting_ns")


def shares(directory: Path, op: str, calls: str, hops: str, *, root: str = "-") -> list[dict[str, str]]:
    """The rows of `wan-share` for the clusters. calls: rank, enter, leave. hops: role, ends, link, times, binding, and
    the hop that the sender had to wait for. The MPI library's own hops have recognised roles."""
    lines = [line.split() for line in calls.strip().splitlines()]
    last = max(int(line[2]) for line in lines)
    native = "native" if hops.strip().splitlines()[0].split()[0] == "-" else "tree"
    tables = {
        "ranks": RANKS,
        "comms": "comm name size members\n0 w 4 0,1,2,3",
        "collectives": f"comm seq op root comm_size bytes last_leave_ns\n0 0 {op} {root} 4 8 {last}",
        "calls": "collective_id rank enter_ns leave_ns pred_hop_id engine\n"
        + "\n".join(f"0 {' '.join(line)} {native}" for line in lines),
        "hops": "collective_id role src dst link send_begin_ns recv_end_ns binding pred_hop_id bytes source\n"
        + "\n".join(f"0 {line} 8 {native}" for line in hops.strip().splitlines()),
    }
    return cells(hopscope.open(draw(directory / "d", **tables)).wan_share(), *COLUMNS)[1:]


def test_of_leaders_it_is_the_way_up_the_exchange_and_the_way_down(tmp_path: Path) -> None:
    # Ranks 0 and 2 lead. 1 -> 0 takes 0 to 4, 3 -> 2 takes 0 to 10. The leaders exchange at once when they have their
    # group's: 0 sends at 5, 2 sends at 12; each message takes 40 (0 -> 2 until 45, 2 -> 0 until 52). Then down: 0 -> 1
    # from 54 to 57, 2 -> 3 from 47 to 50. Leave: 0 at 56, 1 at 58, 2 at 49, 3 at 51.
    # A: rank 1 leaves last. Up 4; what rank 0 waited for is 2 -> 0, 12 to 52: 40; rank 0 works 2 until it sends down;
    # down 3; 1 until it leaves: 50, of which 40 wan. It was inside for 58: 8 of waiting.
    # B: rank 3. Up 10; 0 -> 2, 5 to 45: 40; work 2; down 3; 1: 56, of which 40 wan. Inside for 51, so no waiting.
    hops = """
        up       1 0 shm 0  4  recv -
        up       3 2 shm 0  10 recv -
        exchange 0 2 wan 5  45 recv 0
        exchange 2 0 wan 12 52 recv 1
        down     0 1 shm 54 57 recv 3
        down     2 3 shm 47 50 recv 2
    """
    calls = "0 0 56 3\n1 0 58 4\n2 0 49 2\n3 0 51 5"
    assert shares(tmp_path, "MPI_Allreduce", calls, hops) == expected("""
        scope,share,hops,bytes,crossings,path_ns,wan_ns,waiting_ns
        A,0.8,3,8,1,50,40,8
        B,0.714286,3,8,1,56,40,0
    """)


def test_of_recursive_doubling_it_is_the_chain_of_the_last_rank_from_the_latest_enter_on_it(tmp_path: Path) -> None:
    # Pairs 0 1 and 2 3 exchange, then 0 2 and 1 3. Rank 3 enters at 30, the others at 0.
    # 0 <-> 1: 0 to 3. 2 <-> 3: 2 -> 3 is there early; 3 -> 2 takes 31 to 34.
    # 0 -> 2 is sent at 3 and was there at 23, before 34; 2 -> 0 takes 35 to 55. 1 -> 3 likewise; 3 -> 1 takes 32 to 54.
    # A: rank 0 leaves last, at 56: it waited for 2 -> 0, and rank 2 for 3 -> 2. The latest enter on this chain is rank
    # 3's: the path goes from 30 to 56: 26, of which 20 wan; before, A waited for rank 3, for 30.
    # B: rank 2 leaves last, at 36. It waited for 3 -> 2 last: the path goes from 30 to 36: 6, with no wan.
    hops = """
        exchange 0 1 shm 0  3  recv -
        exchange 1 0 shm 0  3  recv -
        exchange 2 3 shm 0  31 none -
        exchange 3 2 shm 31 34 recv -
        exchange 0 2 wan 3  34 none 1
        exchange 2 0 wan 35 55 recv 3
        exchange 1 3 wan 3  32 none 0
        exchange 3 1 wan 32 54 recv -
    """
    calls = "0 0 56 5\n1 0 55 7\n2 0 36 3\n3 30 33 -"
    answer = """
        scope,share,hops,bytes,crossings,path_ns,wan_ns,waiting_ns
        A,0.769231,2,8,1,26,20,30
        B,0,1,0,0,6,0,30
    """
    assert shares(tmp_path / "engine", "MPI_Allreduce", calls, hops) == expected(answer)
    # The MPI library's hops give the same shares; their roles are recognised.
    native = hops.replace("exchange", "-")
    assert shares(tmp_path / "native", "MPI_Allreduce", calls, native) == expected(answer)


def test_of_a_ring_the_chain_goes_round(tmp_path: Path) -> None:
    # An Allgather in three rounds of 0 -> 1 -> 2 -> 3 -> 0. Within a host a message takes 1, between clusters 10 to 20.
    # A rank sends a message on as soon as it has it.
    # Rank 1 leaves at 24. It waited for 0 -> 1 (22 to 23), rank 0 for 3 -> 0 (2 to 21), rank 3 for 2 -> 3 (0 to 1),
    # whose sender entered at 0: 24, of which 19 wan. Rank 3 leaves at 25: 2 -> 3 (23 to 24), 1 -> 2 (2 to 22), and 0 ->
    # 1 (0 to 1): 25, of which 20 wan.
    hops = """
        - 0 1 shm 0  1  recv -
        - 1 2 wan 0  10 recv -
        - 2 3 shm 0  1  recv -
        - 3 0 wan 0  10 recv -
        - 3 0 wan 2  21 recv 2
        - 1 2 wan 2  22 recv 0
        - 0 1 shm 11 12 recv 3
        - 2 3 shm 11 12 recv 1
        - 3 0 wan 13 23 none 7
        - 1 2 wan 13 23 none 6
        - 0 1 shm 22 23 recv 4
        - 2 3 shm 23 24 recv 5
    """
    calls = "0 0 23 4\n1 0 24 10\n2 0 24 5\n3 0 25 11"
    assert shares(tmp_path, "MPI_Allgather", calls, hops) == expected("""
        scope,share,hops,bytes,crossings,path_ns,wan_ns,waiting_ns
        A,0.791667,3,8,1,24,19,0
        B,0.8,3,8,1,25,20,0
    """)


def test_over_trees_of_the_mpi_library_the_roots_own_cluster_has_none(tmp_path: Path) -> None:
    # The tree and the times of test_wan_share.py: a binomial reduction to rank 0 and a broadcast from it.
    hops = """
        - 3 2 shm 0  2  recv -
        - 2 0 wan 4  24 recv 0
        - 1 0 shm 50 53 recv -
        - 0 2 wan 55 75 recv 2
        - 0 1 shm 56 58 recv 2
        - 2 3 shm 76 78 recv 3
    """
    calls = "0 0 57 2\n1 50 59 4\n2 0 76 3\n3 0 79 5"
    assert shares(tmp_path, "MPI_Allreduce", calls, hops) == expected("""
        scope,share,hops,bytes,crossings,path_ns,wan_ns,waiting_ns
        A,0,1,0,0,13,0,53
        B,0.842105,3,16,2,95,80,60
    """)


def test_over_a_tree_that_leads_the_roots_own_cluster_through_another_it_pays_for_that(tmp_path: Path) -> None:
    # A Reduce along 3 -> 2, 1 -> 2 -> 0: rank 1's way to the root of its own cluster leads through B.
    # Rank 0: from its last message to its leave, 31 to 32: 1. Rank 1: 10, then rank 2 works 10 to 11, then 20: 31, of
    # which 30 wan. Rank 2: works 1, then 20: 21. Rank 3: 2, 1 and 20: 23.
    # Waiting: rank 0 is inside for 32, 31 of them not on its route; the others send and leave.
    hops = """
        up 3 2 shm 0  2  recv -
        up 1 2 wan 0  10 recv -
        up 2 0 wan 11 31 recv 1
    """
    calls = "0 0 32 2\n1 0 1 -\n2 0 12 1\n3 0 1 -"
    assert shares(tmp_path, "MPI_Reduce", calls, hops, root="0") == expected("""
        scope,share,hops,bytes,crossings,path_ns,wan_ns,waiting_ns
        A,0.9375,1,8,1,32,30,31
        B,0.909091,1.5,8,1,44,40,0
    """)


def test_a_cluster_that_enters_after_a_message_was_sent_waits_only_for_the_rest_of_it(tmp_path: Path) -> None:
    # Recursive doubling: 0 1 and 2 3 exchange, then 0 2 and 1 3; between the clusters a message takes 20. A enters at
    # 0, B at 14. In a real run a crossing seemed to take 13 ms instead of 20 on average: a rank that is released late
    # enters the next collective late, so the clusters take turns.
    # A: rank 0 leaves at 36. It waited for 2 -> 0 (15 to 35), rank 2 for 3 -> 2 (14 to 15). From B's enter on: 14 to
    # 36, of which 20 wan; for 14 it waited for B.
    # B: rank 2 leaves at 22. It waited for 0 -> 2 (1 to 21), but entered only at 14: 14 to 21, 7. Then 1.
    hops = """
        exchange 0 1 shm 0  1  recv -
        exchange 1 0 shm 0  1  recv -
        exchange 2 3 shm 14 15 recv -
        exchange 3 2 shm 14 15 recv -
        exchange 0 2 wan 1  21 recv 1
        exchange 2 0 wan 15 35 recv 3
        exchange 1 3 wan 1  21 recv 0
        exchange 3 1 wan 15 35 recv 2
    """
    calls = "0 0 36 5\n1 0 36 7\n2 14 22 4\n3 14 22 6"
    assert shares(tmp_path, "MPI_Allreduce", calls, hops) == expected("""
        scope,share,hops,bytes,crossings,path_ns,wan_ns,waiting_ns
        A,0.909091,2,8,1,22,20,14
        B,0.875,1,8,1,8,7,0
    """)


def test_hops_of_no_known_algorithm_are_followed_as_far_as_they_bind(tmp_path: Path) -> None:
    # 0 -> 2 -> 3 -> 1 and back 1 -> 0: no algorithm of a Barrier. All ranks enter at 0, except rank 2, at 5. Rank 0
    # leaves last: 1 -> 0 (45 to 47), 3 -> 1 (24 to 44), 2 -> 3 (22 to 23), 0 -> 2 (0 to 20). From 5 to 48: 43, wan 15 +
    # 20.
    # B: rank 3 leaves last, at 25: 5 to 25, of which 15 wan.
    hops = """
        - 0 2 wan 0  20 recv -
        - 2 3 shm 22 23 recv 0
        - 3 1 wan 24 44 recv 1
        - 1 0 shm 45 47 recv 2
    """
    calls = "0 0 48 3\n1 0 46 2\n2 5 23 0\n3 0 25 1"
    assert shares(tmp_path, "MPI_Barrier", calls, hops) == expected("""
        scope,share,hops,bytes,crossings,path_ns,wan_ns,waiting_ns
        A,0.813953,4,16,2,43,35,5
        B,0.75,2,8,1,20,15,5
    """)


def test_a_sender_that_was_blocked_leads_to_the_receiver_it_waited_for(tmp_path: Path) -> None:
    # Ranks 0 and 1, and 2 and 3, exchange long messages. 0 -> 2 cannot move before rank 2, which enters at 40, posts
    # its receive at 41. Then it takes until 61. Rank 0 goes on to send to rank 1 (62 to 65), which leaves last in A.
    # From rank 2's enter on: 40 to 66, of which 41 to 61 wan.
    tables = {
        "ranks": RANKS,
        "comms": "comm name size members\n0 w 4 0,1,2,3",
        "collectives": "comm seq op comm_size bytes last_leave_ns\n0 0 MPI_Alltoallv 4 8 66",
        "calls": "collective_id rank enter_ns leave_ns pred_hop_id engine\n0 0 0 64 0 native\n0 1 0 66 1 native\n"
        "0 2 40 62 0 native\n0 3 0 5 - native",
        "hops": "collective_id role src dst link send_begin_ns recv_post_ns recv_end_ns binding pred_hop_id bytes "
        "source\n0 - 0 2 wan 1 41 61 send - 8 native\n0 - 0 1 shm 62 2 65 recv 0 8 native",
    }
    rows = cells(hopscope.open(draw(tmp_path / "d", **tables)).wan_share(), *COLUMNS)
    assert rows[1:2] == expected("""
        scope,share,hops,bytes,crossings,path_ns,wan_ns,waiting_ns
        A,0.769231,2,8,1,26,20,40
    """)
