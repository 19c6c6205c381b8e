"""A long answer is decoded once for as long as it comes with the same bytes."""

from __future__ import annotations

from pykafka_ops.client.kept_answer import LEAST_BYTES, KeptAnswer
from pykafka_ops.wire import frame
from pykafka_ops.wire.messages.metadata import MetadataResponse, MetadataResponseTopic

VERSION = 9


def whole(answer: MetadataResponse, version: int, correlation: int) -> bytearray:
    """As it comes, without its length."""
    return bytearray(b"".join(frame.response_parts(answer, version, correlation)))[4:]


def framed(correlation: int, topics: int, leader: int = 1) -> bytearray:
    answer = MetadataResponse(
        controller_id=leader,
        topics=[MetadataResponseTopic(name=f"topic-{n:040}") for n in range(topics)],
    )
    return whole(answer, VERSION, correlation)


def test_the_same_bytes_give_the_same_object_and_others_a_new_one() -> None:
    kept = KeptAnswer()
    first = kept.decoded(MetadataResponse, VERSION, framed(1, 2000))
    assert len(first.topics) == 2000
    assert kept.decoded(MetadataResponse, VERSION, framed(2, 2000)) is first
    other = kept.decoded(MetadataResponse, VERSION, framed(3, 2000, leader=2))
    assert other.controller_id == 2
    assert kept.decoded(MetadataResponse, VERSION, framed(4, 2000, leader=2)) is other


def test_a_short_answer_leaves_the_kept_one_alone() -> None:
    kept = KeptAnswer()
    first = kept.decoded(MetadataResponse, VERSION, framed(1, 2000))
    short = framed(2, 1)
    assert len(short) < LEAST_BYTES
    assert len(kept.decoded(MetadataResponse, VERSION, short).topics) == 1
    assert kept.decoded(MetadataResponse, VERSION, framed(3, 2000)) is first


def test_an_answer_of_another_version_is_not_the_kept_one() -> None:
    kept = KeptAnswer()
    first = kept.decoded(MetadataResponse, VERSION, framed(1, 2000))
    again = whole(first, VERSION - 1, 2)
    assert kept.decoded(MetadataResponse, VERSION - 1, again) is not first
