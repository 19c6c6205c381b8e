"""Who is in sync, and what that commits, as Kafka's ``Partition`` and ``Replica`` have it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.broker.state.replication.in_sync import Follower, InSync, Proposal, ProposalVerdict
from pykafka_ops.wire.codes import ErrorCode

LAG = 100


def alive(_: int) -> bool:
    return True


def dead(_: int) -> bool:
    return False


def leading(isr: tuple[int, ...] = (1, 2, 3), end: int = 10, now: int = 1000) -> InSync:
    """Broker 1 leads replicas 1, 2 and 3 from ``end`` on, epoch 5, partition epoch 7."""
    view = InSync(1)
    view.lead((1, 2, 3), isr, 7)
    view.begin(5, end, now, new_leader=True)
    return view


def fetch(view: InSync, replica: int, offset: int, now: int, end: int) -> None:
    view.followers[replica].fetched(offset, 0, now, end)


def test_a_follower_that_reads_to_the_end_is_caught_up_then() -> None:
    follower = Follower()
    follower.fetched(10, 0, 500, 10)
    assert follower.is_caught_up(20, 600, LAG)
    assert not follower.is_caught_up(20, 601, LAG)
    assert follower.is_caught_up(10, 10_000, LAG)


def test_a_follower_that_is_always_one_fetch_behind_keeps_up() -> None:
    follower = Follower()
    end = 0
    for now in range(0, 5000, 50):
        follower.fetched(end, 0, now, end + 10)
        end += 10
    assert follower.end < end
    assert follower.is_caught_up(end, 5000, LAG)


def test_a_new_leader_waits_for_the_first_fetch_of_everybody_in_sync() -> None:
    view = leading()
    assert view.committed(10, 1, 1000, LAG, alive) == -1
    fetch(view, 2, 10, 1001, 10)
    assert view.committed(10, 1, 1001, LAG, alive) == -1
    fetch(view, 3, 8, 1002, 10)
    assert view.committed(10, 1, 1002, LAG, alive) == 8


def test_nothing_is_committed_while_too_few_are_in_sync() -> None:
    view = leading(isr=(1,))
    assert view.committed(10, 1, 5000, LAG, alive) == 10
    assert view.committed(10, 2, 5000, LAG, alive) == -1
    alone = InSync(1)
    alone.lead((1,), (1,), 0)
    assert alone.committed(10, 2, 5000, LAG, alive) == 10


def test_one_that_has_caught_up_holds_the_watermark_until_it_has_joined() -> None:
    view = leading(isr=(1, 2))
    fetch(view, 2, 30, 2000, 30)
    fetch(view, 3, 20, 2000, 20)
    assert view.committed(30, 1, 2050, LAG, alive) == 20
    assert view.committed(30, 1, 2050, LAG, dead) == 30
    assert view.committed(30, 1, 2200, LAG, alive) == 30


@pytest.mark.parametrize(("end", "joins"), [(9, False), (10, True), (12, True)])
def test_only_who_has_reached_the_leaders_epoch_may_join(end: int, joins: bool) -> None:
    view = leading(isr=(1, 2))
    fetch(view, 3, end, 1500, 12)
    proposal = view.expand(3, 5, alive)
    assert (proposal is not None) == joins
    if proposal is not None:
        assert proposal == Proposal((1, 2, 3), 5, 7, joins=3)


def test_who_lacks_committed_records_is_dead_or_in_already_does_not_join() -> None:
    view = leading(isr=(1, 2))
    fetch(view, 3, 12, 1500, 20)
    assert view.expand(3, 13, alive) is None
    assert view.expand(3, 12, dead) is None
    assert view.expand(2, 0, alive) is None
    assert view.expand(9, 0, alive) is None


def test_a_joining_replica_counts_at_once_a_leaving_one_until_the_controller_agrees() -> None:
    view = leading(isr=(1, 2))
    fetch(view, 2, 20, 1500, 20)
    fetch(view, 3, 15, 1500, 20)
    assert view.expand(3, 12, alive) is not None
    assert view.maximal == (1, 2, 3)
    assert view.isr == (1, 2)
    assert view.committed(20, 1, 9000, LAG, dead) == 15
    view = leading(isr=(1, 2, 3))
    fetch(view, 2, 20, 5000, 20)
    fetch(view, 3, 15, 1500, 20)
    proposal = view.shrink(20, 5000, LAG)
    assert proposal is not None
    assert proposal.isr == (1, 2)
    assert view.committed(20, 1, 5000, LAG, alive) == 15


def test_only_one_proposal_is_under_way() -> None:
    view = leading(isr=(1, 2))
    fetch(view, 3, 12, 1500, 12)
    assert view.expand(3, 5, alive) is not None
    assert view.expand(3, 5, alive) is None
    assert view.shrink(100, 90_000, LAG) is None


def test_a_committed_change_is_taken_over() -> None:
    view = leading(isr=(1, 2))
    fetch(view, 3, 12, 1500, 12)
    proposal = view.expand(3, 5, alive)
    assert proposal is not None
    verdict = view.answered(proposal, 0, isr=(1, 2, 3), leader_epoch=5, partition_epoch=8)
    assert verdict is ProposalVerdict.CHANGED
    assert (view.isr, view.partition_epoch, view.pending) == ((1, 2, 3), 8, None)


@pytest.mark.parametrize(
    ("code", "verdict", "pending"),
    [
        (ErrorCode.INELIGIBLE_REPLICA, ProposalVerdict.DROPPED, False),
        (ErrorCode.OPERATION_NOT_ATTEMPTED, ProposalVerdict.DROPPED, False),
        (ErrorCode.FENCED_LEADER_EPOCH, ProposalVerdict.WAIT, True),
        (ErrorCode.INVALID_UPDATE_VERSION, ProposalVerdict.WAIT, True),
        (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ProposalVerdict.WAIT, True),
        (ErrorCode.NETWORK_EXCEPTION, ProposalVerdict.RETRY, True),
        (ErrorCode.UNKNOWN_SERVER_ERROR, ProposalVerdict.RETRY, True),
    ],
)
def test_errors_are_taken_as_kafka_takes_them(
    code: ErrorCode, verdict: ProposalVerdict, pending: bool
) -> None:
    view = leading(isr=(1, 2))
    fetch(view, 3, 12, 1500, 12)
    proposal = view.expand(3, 5, alive)
    assert proposal is not None
    assert view.answered(proposal, code) is verdict
    assert (view.pending is proposal) == pending
    assert view.isr == (1, 2)


def test_an_answer_from_before_the_controllers_last_word_is_of_the_past() -> None:
    view = leading(isr=(1, 2))
    fetch(view, 3, 12, 1500, 12)
    proposal = view.expand(3, 5, alive)
    assert proposal is not None
    view.lead((1, 2, 3), (1,), 9)
    verdict = view.answered(proposal, 0, isr=(1, 2, 3), leader_epoch=5, partition_epoch=8)
    assert verdict is ProposalVerdict.DROPPED
    assert view.isr == (1,)


def test_the_same_leader_in_a_new_epoch_remembers_how_far_its_followers_are() -> None:
    view = leading(isr=(1, 2))
    fetch(view, 2, 20, 1500, 20)
    view.lead((1, 2, 3), (1, 2), 8)
    view.begin(6, 20, 1600, new_leader=False)
    assert view.followers[2].end == 20
    assert view.committed(20, 1, 1600, LAG, dead) == 20
    view.begin(7, 20, 1700, new_leader=True)
    assert view.followers[2].end == -1


@given(
    ends=st.lists(st.integers(0, 50), min_size=2, max_size=2),
    times=st.lists(st.integers(0, 1000), min_size=2, max_size=2),
    isr=st.sampled_from([(1,), (1, 2), (1, 3), (1, 2, 3)]),
    now=st.integers(1000, 2000),
)
def test_what_is_committed_is_on_every_replica_in_sync(
    ends: list[int], times: list[int], isr: tuple[int, ...], now: int
) -> None:
    view = leading(isr=isr, end=0, now=0)
    for replica, end, at in zip((2, 3), ends, times, strict=True):
        fetch(view, replica, end, at, 50)
    committed = view.committed(50, 1, now, LAG, alive)
    assert all(view.followers[id_].end >= committed for id_ in isr if id_ != 1)
    before = view.maximal
    proposal = view.shrink(50, now, LAG)
    if proposal is not None:
        assert set(proposal.isr) < set(isr)
        assert 1 in proposal.isr
        assert view.maximal == before
