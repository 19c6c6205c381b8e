"""A long request divided, and the answers to its parts put together, say what they said before."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from itertools import islice
from typing import Any, TypeVar

import pytest

from pykafka_ops.broker.runtime.sockets.large import DIVISIONS, Division
from pykafka_ops.errors import TooManyItemsError, WireError
from pykafka_ops.wire.apis import APIS, ApiKey
from pykafka_ops.wire.bulk import empty, scrap, weight
from pykafka_ops.wire.codec import decode, decode_at, decode_steps, encode
from pykafka_ops.wire.division import GatheredAnswer, lines, part_of
from pykafka_ops.wire.message import table_of
from pykafka_ops.wire.messages.describe_groups import DescribedGroup, DescribeGroupsResponse
from pykafka_ops.wire.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
    ListOffsetsTopicResponse,
)
from pykafka_ops.wire.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestTopic
from tests.support.each import each
from tests.support.wire.values import Maker

T = TypeVar("T")
ROWS = [(key, division) for key, rows in DIVISIONS.items() for division in rows]


def done(steps: Generator[None, None, T]) -> tuple[T, int]:
    """What work in steps gives, and how often it paused."""
    count = 0
    try:
        while True:
            next(steps)
            count += 1
    except StopIteration as end:
        return end.value, count


def asked(*sizes: int) -> ListOffsetsRequest:
    topics = [
        ListOffsetsTopic(
            name=f"t{n}", partitions=[ListOffsetsPartition(partition_index=i) for i in range(size)]
        )
        for n, size in enumerate(sizes)
    ]
    return ListOffsetsRequest(replica_id=7, topics=topics)


def parts(message: Any, path: list[str], size: int) -> Iterator[Any]:
    rest = lines(message, path)
    while taken := list(islice(rest, size)):
        yield part_of(message, path, taken)


def versions(key: int, division: Division) -> Iterator[int]:
    """In which versions a request has the items, and its answer a place for them."""
    spec = APIS[key]
    for version in range(spec.min_version, spec.max_version + 1):
        for cls, path in ((spec.request, division.asked), (spec.response, division.answer_path)):
            names = {f.name for f in table_of(cls).fields if f.exists(version)}
            if path and path.partition(".")[0] not in names:
                break
        else:
            yield version


@each("key, division", ROWS)
def test_every_row_names_arrays_of_its_request_and_answer(key: int, division: Division) -> None:
    assert list(versions(key, division))
    for cls, path in (
        (APIS[key].request, division.asked),
        (APIS[key].response, division.answer_path),
    ):
        for name in filter(None, path.split(".")):
            (field,) = (f for f in table_of(cls).fields if f.name == name)
            assert field.array
            cls = field.kind


@each("key, division", ROWS)
def test_the_parts_of_a_request_hold_all_its_items_in_order(key: int, division: Division) -> None:
    path = division.asked.split(".")
    for version in versions(key, division):
        message = Maker(version, 3).make(APIS[key].request)
        if not getattr(message, path[0]):
            continue
        whole = [line[-1] for line in lines(message, path)]
        for size in (1, 2, 100):
            found = list(parts(message, path, size))
            assert [line[-1] for part in found for line in lines(part, path)] == whole
            for part in found:
                assert encode(part, version)


def test_a_part_keeps_what_holds_its_items_and_leaves_the_request_alone() -> None:
    message = asked(3, 0, 2)
    first, second, third = parts(message, ["topics", "partitions"], 2)
    assert first.replica_id == 7
    found = [[(t.name, len(t.partitions)) for t in p.topics] for p in (first, second, third)]
    assert found == [[("t0", 2)], [("t0", 1), ("t1", 0)], [("t2", 2)]]
    assert message == asked(3, 0, 2)


def told(*found: tuple[str, int]) -> ListOffsetsResponse:
    return ListOffsetsResponse(
        topics=[
            ListOffsetsTopicResponse(
                name=name,
                partitions=[ListOffsetsPartitionResponse(partition_index=i) for i in range(count)],
            )
            for name, count in found
        ]
    )


@pytest.mark.parametrize("version", [1, 9])
def test_answers_are_put_together_to_one(version: int) -> None:
    gathered = GatheredAnswer(["topics", "partitions"], version, 10_000)
    for answer, goes_on in ((told(("a", 2)), False), (told(("a", 1), ("b", 1)), True)):
        done(gathered.add(answer, goes_on=goes_on))
    done(gathered.add(told(("b", 1)), goes_on=False))  # the client named it again
    done(gathered.finish())
    gathered.throttle_time_ms = 5
    frame = b"".join(gathered.framed(9))
    body = frame[8 + (version >= 6) :]
    answer = decode(ListOffsetsResponse, version, body)
    assert [(t.name, len(t.partitions)) for t in answer.topics] == [("a", 3), ("b", 1), ("b", 1)]
    assert answer.throttle_time_ms == (5 if version > 1 else 0)
    assert int.from_bytes(frame[:4], "big") == len(frame) - 4


def test_an_answer_that_grows_too_long_is_given_up() -> None:
    gathered = GatheredAnswer(["groups"], 0, 1000)
    answer = DescribeGroupsResponse(groups=[DescribedGroup(group_id="g" * 900)] * 2)
    with pytest.raises(WireError, match="more than 1000 bytes"):
        done(gathered.add(answer, goes_on=False))


@pytest.mark.parametrize("key", sorted(APIS))
def test_reading_in_steps_gives_what_reading_at_once_gives(key: int) -> None:
    spec = APIS[key]
    for version in range(spec.min_version, spec.max_version + 1):
        message = Maker(version, 5).make(spec.request)
        data = memoryview(encode(message, version))
        assert done(decode_steps(spec.request, version, data, 0, 10_000))[0] == message


def test_reading_in_steps_pauses_every_few_items() -> None:
    data = memoryview(encode(asked(5000), 1))
    _, pauses = done(decode_steps(ListOffsetsRequest, 1, data, 0, 10_000))
    assert pauses > 5000 // 50


@pytest.mark.parametrize("most", [5, 9])
def test_more_items_than_asked_for_are_refused_numbers_included(most: int) -> None:
    numbers = OffsetFetchRequest(
        topics=[OffsetFetchRequestTopic(name="t", partition_indexes=list(range(20)))]
    )
    for message, version in ((asked(4, 5), 1), (numbers, 7)):
        data = memoryview(encode(message, version))
        with pytest.raises(TooManyItemsError, match=f"more than {most} items"):
            decode_at(type(message), version, data, 0, most)
        with pytest.raises(TooManyItemsError, match=f"more than {most} items"):
            done(decode_steps(type(message), version, data, 0, most))


def test_what_stands_in_an_item_counts_and_is_taken_out_in_steps() -> None:
    message = asked(100, 0, 2)
    assert weight(message) == 1 + 3 + 102
    _, pauses = done(empty(message, ["topics", "partitions"]))
    assert (weight(message), pauses) == (1, 6)
    message = asked(100, 3)
    done(scrap(message))
    assert weight(message) == 1


def test_a_request_that_ends_too_early_is_malformed_in_steps_as_well() -> None:
    data = memoryview(encode(asked(4, 5), 1)[:-3])
    with pytest.raises(WireError, match=r"ListOffsetsTopic\.partitions has a size of 5"):
        done(decode_steps(ListOffsetsRequest, 1, data, 0, 100))


def test_orders_and_markers_are_told_by_the_place_their_version_has() -> None:
    rows = {version for row in DIVISIONS[ApiKey.LEADER_AND_ISR] for version in versions(4, row)}
    assert rows == set(range(8))
