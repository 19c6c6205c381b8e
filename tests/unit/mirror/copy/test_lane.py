"""One partition from source to target: positions, what waits, what counts."""

from __future__ import annotations

import json

import pytest

from pykafka_ops.client.group_offsets import Committed
from pykafka_ops.disk.record import Record
from pykafka_ops.mirror.copy.lane import LONGEST_STOP, TRY_AGAIN, CopyLane
from pykafka_ops.mirror.copy.outlet import TargetOutlet
from pykafka_ops.mirror.copy.pieces import TargetLimits
from pykafka_ops.mirror.copy.rate import RateLimit
from pykafka_ops.mirror.copy.tasks import CommitNote, CopyTask, committed, note_of
from pykafka_ops.wire.types import ZERO_UUID
from tests.support.mirror.logs import batch, some

ID = bytes(range(16))


def lane(limits: TargetLimits | None = None) -> CopyLane:
    task = CopyTask(("a.t", 0), 0, ID, limits or TargetLimits())
    made = CopyLane(("t", 0), task, TargetOutlet(("a.t", 0)), skip=False)
    made.begin(0, CommitNote(ID))
    return made


def take(made: CopyLane, *parts: bytes) -> None:
    made.take(memoryview(bytearray(b"".join(parts))), ())


def hand_over(made: CopyLane) -> int:
    count = 0
    while (one := made.next()) is not None:
        made.outlet.put(one)
        count += 1
    return count


def acknowledge(made: CopyLane, offset: int) -> None:
    while made.outlet.ready:
        one = made.outlet.next()
        made.outlet.took(one, offset)
        offset += one.count
    made.settle()


def test_the_epoch_goes_with_the_position_wherever_that_is_set_back_to() -> None:
    made = lane()
    made.begin(0, CommitNote(ID, 4))
    assert made.read_epoch == 4
    for first, epoch in ((0, 5), (100, 6), (200, 7)):
        take(made, batch(some(first, 100), leader_epoch=epoch))
    assert made.read_epoch == 7
    for _ in range(2):
        one = made.next()
        assert one is not None
        made.outlet.put(one)
    made.rewind()
    assert (made.position, made.read_epoch) == (200, 6)
    one = made.outlet.next()
    made.outlet.took(one, 0)
    made.settle()
    made.give_up("refused", 0)
    assert (made.position, made.read_epoch) == (100, 5)
    made.forget_round()
    assert (made.position, made.read_epoch) == (0, 4)


def test_positions_follow_what_is_read_written_and_committed() -> None:
    made = lane()
    take(made, batch(some(0, 100)), batch(some(110, 90)))
    assert (made.position, made.acked, made.committed) == (200, 0, 0)
    size = made.buffered
    assert hand_over(made) == 2
    assert made.buffered == size
    acknowledge(made, 1000)
    assert (made.acked, made.committed, made.buffered) == (200, 0, 0)
    assert made.runs == [(0, 1000, 100), (110, 1100, 90)]
    assert made.advanced and made.wrote
    records, _ = made.commit()
    assert (records, made.committed, made.advanced, made.wrote) == (190, 200, False, False)
    progress = made.progress(now_ms=0)
    assert (progress.position, progress.target_end, progress.lag) == (200, 1190, -1)


def test_a_gap_counts_once_what_is_before_it_is_written() -> None:
    made = lane()
    empty = batch(some(0, 50))
    take(made, empty)
    hand_over(made)
    marker = batch(some(50, 1), control=True)
    take(made, marker)
    assert hand_over(made) == 0
    assert made.acked == 0
    acknowledge(made, 0)
    assert made.acked == 51
    take(made, batch(some(51, 1), control=True))
    hand_over(made)
    assert (made.acked, made.wrote) == (52, True)


def test_a_round_that_does_not_count_is_read_again() -> None:
    made = lane()
    take(made, batch(some(0, 100)))
    hand_over(made)
    acknowledge(made, 0)
    made.outlet.reset()
    made.forget_round()
    assert (made.position, made.acked, made.runs) == (0, 0, [])


def test_stopping_keeps_what_the_outlet_was_given() -> None:
    made = lane()
    take(made, batch(some(0, 100)))
    made.outlet.put(made.next())  # type: ignore[arg-type]
    take(made, batch(some(100, 100)))
    made.stop("no", 5.0)
    assert (made.position, made.waiting(), made.may_read(6.0)) == (100, False, False)
    assert made.may_read(5.0 + TRY_AGAIN)


def test_stops_grow_longer_until_records_arrive_again() -> None:
    made = lane()
    waits = []
    for _ in range(8):
        made.stop("no", 0.0)
        waits.append(made.again_at)
    assert waits[:2] == [TRY_AGAIN, 2 * TRY_AGAIN] and waits[-1] == LONGEST_STOP
    take(made, batch(some(0, 100)))
    hand_over(made)
    acknowledge(made, 0)
    made.commit()
    assert made.trouble is None
    made.stop("no", 0.0)
    assert made.again_at == TRY_AGAIN


def test_trouble_ahead_waits_for_what_is_before_it() -> None:
    made = lane()
    damaged = bytearray(batch(some(100, 100)))
    damaged[-1] ^= 1
    take(made, batch(some(0, 100)), bytes(damaged))
    made.stops(1.0)
    assert made.trouble is None and not made.may_read(1.0)
    hand_over(made)
    acknowledge(made, 0)
    made.stops(1.0)
    assert made.trouble == "the batch at source offset 100 does not match its CRC"
    assert made.position == 100


def test_an_answer_that_never_gets_on_is_trouble() -> None:
    made = lane()
    made.begin(500, CommitNote(ID))
    take(made, batch(some(0, 100)))
    made.stops(1.0)
    assert made.trouble == "the source gives nothing at offset 500 but older batches"


def test_moving_into_range_counts_what_is_lost_once() -> None:
    made = lane()
    made.move(100, "gone", 0.0)
    assert (made.lost, made.position, made.note) == (100, 100, "gone")
    made.forget_round()  # the round was aborted: it happens again
    made.move(100, "gone", 0.0)
    made.move(130, "gone", 0.0)
    assert made.lost == 130
    made.move(50, "cut", 0.0)
    assert (made.lost, made.position) == (130, 50)


def test_skipped_records_count_with_the_round_that_leaves_them_out() -> None:
    made = lane(TargetLimits(max_bytes=6_000))
    made.skip = True
    made.rewind()
    log = batch([*some(0, 2), Record(2, 1, None, b"x" * 9_000)])
    for turn in ("aborted", "committed"):
        take(made, log)
        hand_over(made)
        acknowledge(made, 0)
        made.outlet.reset()
        if turn == "aborted":
            made.forget_round()
    made.commit()
    assert (made.skipped, made.committed, made.records) == (1, 3, 2)


def test_moving_waits_until_all_is_written() -> None:
    made = lane()
    take(made, batch(some(0, 100)))
    made.move(400, "gone", 1.0)
    assert (made.position, made.note, made.may_read(1.0)) == (100, None, False)


def test_a_commit_says_topic_epoch_and_life_and_is_read_back() -> None:
    note = CommitNote(ID, 7, 12345)
    made = committed(42, note)
    assert (made.offset, note_of(made)) == (42, note)
    assert len(made.metadata) < 100


@pytest.mark.parametrize(
    "text", ["", "x", "[]", "5", '{"id": 7, "epoch": "x", "life": true}', "[" * 2000]
)
def test_metadata_of_others_say_nothing(text: str) -> None:
    assert note_of(Committed(1, -1, text)) == CommitNote(ZERO_UUID, -1, 0)
    assert json.loads(committed(1, CommitNote()).metadata)["epoch"] == -1


def test_a_rate_holds_on_the_average_and_a_piece_over_it_passes() -> None:
    limit = RateLimit(1000, 0)
    limit.take(3000)
    assert limit.wait_ms(0) == 2000
    assert limit.wait_ms(1500) == 500
    assert limit.wait_ms(2000) == 0
    assert limit.wait_ms(60_000) == 0
    limit.take(1500)
    assert limit.wait_ms(60_000) == 500
    assert RateLimit(0, 0).wait_ms(0) == 0
