"""Reading a source: leaders that move, logs that were cut off, answers nobody asked for."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.pipe import turn
from pykafka_ops.errors import PkoError
from pykafka_ops.mirror.copy.lane import CopyLane
from pykafka_ops.mirror.copy.outlet import TargetOutlet
from pykafka_ops.mirror.copy.reader import SourceReader
from pykafka_ops.mirror.copy.tasks import CommitNote, CopyTask
from pykafka_ops.wire.messages import fetch as ft
from pykafka_ops.wire.messages import list_offsets as lo
from tests.support.memory.fake_broker import FakeBroker, HangUp, Raw, two_brokers
from tests.support.mirror.logs import batch, some
from tests.support.waiting import wait_for

ID = b"t".ljust(16, b".")
Fakes = tuple[FakeBroker, FakeBroker]
PROPERTIES = {"retry.backoff.ms": "5", "request.timeout.ms": "60000", "client.rack": "east"}


@pytest.fixture
def fakes() -> Iterator[Fakes]:
    brokers = two_brokers()
    brokers[0].topics["t"] = [0]
    yield brokers
    for broker in brokers:
        broker.close()


class Reading:
    """A reader of t-0 from offset 0 on."""

    def __init__(self, fakes: Fakes, topic_id: bytes = ID) -> None:
        config = ClientConfig.of({"bootstrap.servers": fakes[0].bootstrap, **PROPERTIES})
        self.reader = SourceReader(Cluster(config), read_committed=True)
        outlet = TargetOutlet(("a.t", 0))
        self.lane = CopyLane(("t", 0), CopyTask(("a.t", 0), 0, topic_id), outlet, skip=False)
        self.lane.begin(0, CommitNote(topic_id, 4))
        self.reader.assign([self.lane])

    def until(self, condition: Callable[[], object]) -> None:
        def step() -> object:
            self.reader.pump(time.monotonic())
            for pipe, why in turn(self.reader.pipes.open, 0.005):
                self.reader.broke(pipe, why)
            return condition()

        wait_for(step, what="reading", about=self.lane.progress(0))


@pytest.fixture
def reading(fakes: Fakes) -> Iterator[Reading]:
    made = Reading(fakes)
    yield made
    made.reader.close()


def part(**fields: Any) -> ft.PartitionData:
    usual = {"partition_index": 0, "error_code": 0, "high_watermark": 500, "records": None}
    return ft.PartitionData(**{**usual, "last_stable_offset": 500, **fields})


def answers(*parts: ft.PartitionData, error: int = 0) -> Callable[[Any], ft.FetchResponse]:
    """These in turn, then nothing more."""
    left = list(parts)

    def answer(request: ft.FetchRequest) -> ft.FetchResponse:
        found = [left.pop(0)] if left else []
        topic = ft.FetchableTopicResponse(topic="t", topic_id=ID, partitions=found)
        return ft.FetchResponse(
            throttle_time_ms=0, error_code=error, session_id=7, responses=[topic]
        )

    return answer


def offsets(first: int, end: int) -> Callable[[Any], lo.ListOffsetsResponse]:
    def answer(request: Any) -> lo.ListOffsetsResponse:
        at = first if request.topics[0].partitions[0].timestamp == -2 else end
        found = lo.ListOffsetsPartitionResponse(partition_index=0, offset=at, timestamp=-1)
        return lo.ListOffsetsResponse(
            topics=[lo.ListOffsetsTopicResponse(name="t", partitions=[found])]
        )

    return answer


def test_batches_fill_the_lane_and_the_next_question_begins_behind_them(
    fakes: Fakes, reading: Reading
) -> None:
    fakes[0].on("Fetch", answers(part(records=memoryview(batch(some(0, 100))))))
    reading.until(lambda: reading.lane.position == 100)
    reading.until(lambda: len(fakes[0].asked("Fetch")) >= 2)
    (_, first), (_, second), *_ = fakes[0].asked("Fetch")
    asked = first.topics[0].partitions[0]
    assert (asked.fetch_offset, asked.last_fetched_epoch) == (0, 4)
    assert (first.isolation_level, first.rack_id, first.topics[0].topic_id) == (1, "east", ID)
    assert second.topics[0].partitions[0].fetch_offset == 100
    assert (second.session_id, second.session_epoch) == (7, 1)
    assert reading.lane.source_end == 500


def test_the_question_names_the_epoch_of_what_was_read_though_it_is_not_yet_written(
    fakes: Fakes, reading: Reading
) -> None:
    of_new_leader = batch(some(0, 100), leader_epoch=6)
    fakes[0].on("Fetch", answers(part(records=memoryview(of_new_leader))))
    reading.until(lambda: len(fakes[0].asked("Fetch")) >= 2)
    asked = fakes[0].asked("Fetch")[1][1].topics[0].partitions[0]
    assert (asked.fetch_offset, asked.last_fetched_epoch) == (100, 6)


def test_an_answer_of_a_topic_that_was_made_anew_since_it_was_asked_for_is_dropped(
    fakes: Fakes, reading: Reading
) -> None:
    fakes[0].on("Fetch", answers(part(records=memoryview(batch(some(0, 100))))))
    reading.until(lambda: any(pipe.answers for pipe in reading.reader.pipes.open))
    new = b"n".ljust(16, b".")
    lane = CopyLane(("t", 0), CopyTask(("a.t", 0), 0, new), TargetOutlet(("a.t", 0)), skip=False)
    lane.begin(0, CommitNote(new))
    reading.reader.assign([lane])
    reading.reader.pump(time.monotonic())
    assert lane.position == 0


def test_the_replica_in_our_rack_is_read(fakes: Fakes, reading: Reading) -> None:
    fakes[0].on("Fetch", answers(part(preferred_read_replica=1)))
    fakes[1].on("Fetch", answers(part(records=memoryview(batch(some(0, 9))))))
    reading.until(lambda: reading.lane.position == 9)


def test_a_leader_that_moved_is_looked_up(fakes: Fakes, reading: Reading) -> None:
    def moved(request: Any) -> Any:
        fakes[0].topics["t"] = [1]
        return answers(part(error_code=6))(request)

    fakes[0].on("Fetch", moved)
    fakes[1].on("Fetch", answers(part(records=memoryview(batch(some(0, 9))))))
    reading.until(lambda: reading.lane.position == 9)
    assert reading.lane.trouble is None


def test_a_broker_that_hangs_up_is_asked_again_in_a_new_session(
    fakes: Fakes, reading: Reading
) -> None:
    turns = [HangUp(), None]
    usual = answers(part(records=memoryview(batch(some(0, 9)))))
    fakes[0].on("Fetch", lambda request: (turns.pop(0) if turns else None) or usual(request))
    reading.until(lambda: reading.lane.position == 9)
    assert [r.session_epoch for _, r in fakes[0].asked("Fetch")][:2] == [0, 0]


def test_a_log_that_was_cut_off_by_an_unclean_election_is_told(
    fakes: Fakes, reading: Reading
) -> None:
    reading.lane.begin(50, CommitNote(ID, 4))
    end = ft.EpochEndOffset(epoch=3, end_offset=30)
    fakes[0].on("Fetch", answers(part(diverging_epoch=end)))
    reading.until(lambda: reading.lane.note)
    assert reading.lane.note == (
        "the source lost offsets 30 to 49 in an unclean election; the target has them"
    )
    assert (reading.lane.position, reading.lane.epoch) == (30, -1)


def test_a_position_behind_the_end_goes_on_at_the_end(fakes: Fakes, reading: Reading) -> None:
    reading.lane.begin(50, CommitNote(ID, 4))
    fakes[0].on("Fetch", answers(part(error_code=1))).on("ListOffsets", offsets(0, 20))
    reading.until(lambda: reading.lane.note)
    assert "the source ends at offset 20, 50 was next" in (reading.lane.note or "")
    assert (reading.lane.position, reading.lane.lost) == (20, 0)


def test_what_is_not_allowed_stops_the_partition_with_a_sentence(
    fakes: Fakes, reading: Reading
) -> None:
    fakes[0].on("Fetch", answers(part(error_code=29)))
    reading.until(lambda: reading.lane.trouble)
    assert reading.lane.trouble == (
        "the source refuses: not allowed: this login needs read on the topic "
        "[TOPIC_AUTHORIZATION_FAILED]"
    )


def test_a_topic_that_was_made_anew_is_not_read(fakes: Fakes) -> None:
    reading = Reading(fakes, topic_id=b"x" * 16)
    fakes[0].on("Fetch", answers(part(records=memoryview(batch(some(0, 9))))))
    reading.until(lambda: reading.lane.trouble)
    assert "deleted and made anew" in (reading.lane.trouble or "")
    assert fakes[0].asked("Fetch") == []
    reading.reader.close()


def test_answers_to_where_the_lane_is_no_longer_are_left(fakes: Fakes, reading: Reading) -> None:
    def late(request: Any) -> Any:
        if request.session_epoch == 0:
            reading.lane.begin(70, CommitNote(ID))
        return answers(part(records=memoryview(batch(some(0, 9)))))(request)

    fakes[0].on("Fetch", late)
    reading.until(lambda: len(fakes[0].asked("Fetch")) >= 2)
    assert reading.lane.position == 70
    assert fakes[0].asked("Fetch")[1][1].topics[0].partitions[0].fetch_offset == 70


@pytest.mark.parametrize(
    "data", [b"HTTP/1.1 400", bytes(8), (2**31 - 1).to_bytes(4, "big") + bytes(90)]
)
def test_bytes_that_are_no_answer_end_the_connection(
    fakes: Fakes, reading: Reading, data: bytes
) -> None:
    fakes[0].on("Fetch", lambda request: Raw(data))
    troubles: list[PkoError] = []

    def broken() -> bool:
        troubles.extend(reading.reader.pipes.troubles.values())
        return bool(troubles)

    reading.until(broken)
    assert reading.lane.position == 0


def test_what_waits_is_bounded(fakes: Fakes, reading: Reading) -> None:
    def more(request: Any) -> Any:
        at = reading.lane.position
        return answers(part(records=memoryview(batch(some(at, 500, 2000)))))(request)

    fakes[0].on("Fetch", more)
    reading.until(lambda: reading.lane.buffered > 8_000_000)
    asked = len(fakes[0].asked("Fetch"))
    for _ in range(20):
        reading.until(lambda: True)
    assert len(fakes[0].asked("Fetch")) <= asked + 1
    assert reading.lane.buffered < 12_000_000


def test_a_question_that_waits_for_its_time_is_not_slept_over(
    fakes: Fakes, reading: Reading
) -> None:
    """Nothing comes that would wake who waits for answers: no question is on its way."""
    fakes[0].on("Fetch", answers(part(records=memoryview(batch(some(0, 100))))))
    reading.until(lambda: fakes[0].asked("Fetch"))
    reader = reading.reader
    asked = time.monotonic()
    (pipe,) = reader.pipes.open
    wait_for(lambda: turn([pipe], 0.005) == [] and pipe.answers, what="an answer")
    assert reader.rest(asked) == math.inf  # a question is on its way: its answer wakes
    reader._ask_at = asked + 0.25  # as if it had cost so much to make
    reader.pump(asked)
    assert reading.lane.position == 100
    assert not pipe.pending
    assert reader.rest(asked) == pytest.approx(0.25)
    reader.pump(asked + 0.25)
    assert pipe.pending
    assert reader.rest(asked + 0.25) == math.inf
