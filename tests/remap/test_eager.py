"""Which messages are announced before they go, and what they take, from hops whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest
from hopscope.links import LINKS
from hopscope.model.costs import Costs, LinkCost, LocalCost
from hopscope.model.eager import eager_limit, held_from, with_announcements
from hopscope.model.routes import fitted
from hopscope.model.sequences import duration_ns, lay

SIZES = np.repeat([8, 4096, 65536, 1 << 20], 6)


def test_the_limit_lies_above_the_longest_message_whose_sender_went_on() -> None:
    waited = SIZES > 4096
    assert eager_limit(SIZES, waited, ~waited) == 4096


@pytest.mark.parametrize("waits", [True, False])
def test_without_both_kinds_of_senders_there_is_no_limit(waits: bool) -> None:
    same = np.full(len(SIZES), waits)
    assert eager_limit(SIZES, same, ~same) is None


def test_few_messages_or_contradictory_ones_show_no_limit() -> None:
    few = SIZES[::2]
    assert eager_limit(few, few > 4096, few <= 4096) is None
    assert eager_limit(SIZES, SIZES == 8, SIZES > 8) is None


def test_what_no_late_receive_showed_stays_open_between_both_ends() -> None:
    # Up to 4096 bytes senders went on, from 65536 on they waited: what lies between may do either.
    assert held_from(SIZES, SIZES > 4096, SIZES <= 4096) == (4096, 65535, 4096)
    # None waited: longer ones than were seen may.
    nobody = np.zeros(len(SIZES), bool)
    assert held_from(SIZES, nobody, SIZES <= 4096) == (np.inf, np.inf, 4096)
    # All waited, but for those so short that every library takes a copy.
    assert held_from(SIZES, SIZES > 8, nobody) == (1024, 4095, 1024)


def test_a_replayed_message_takes_what_the_announced_one_took() -> None:
    # 100 us of latency and 1 ns a byte; 1 MiB takes three latencies besides.
    size = np.asarray([8] * 9 + [1 << 20] * 9)
    transit = np.where(size > 4096, 300_000 + size, 100_000)
    link = with_announcements(LinkCost(100_000.0, 1.1), 4096, size, transit)
    assert (link.latency_ns, link.per_byte_ns, link.eager_bytes) == (100_000, pytest.approx(1), 4096)
    links = dict.fromkeys(LINKS, link)
    machine = fitted(Costs(links, LocalCost()), [0, 1])
    for bytes_sent, takes in ((8, 100_008), (1 << 20, 300_000 + (1 << 20))):
        laid = lay({"algorithm": "pipeline", "segment_bytes": 0}, "MPI_Bcast", [bytes_sent], [0, 1], root=0)
        assert duration_ns(laid, machine) == pytest.approx(takes, rel=1e-6)
