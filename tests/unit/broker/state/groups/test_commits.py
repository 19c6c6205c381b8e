"""Which offsets of a request may be committed, and the code that each of them gets."""

from __future__ import annotations

import pytest

from pykafka_ops.broker.state.groups.commits import Checked, Commit, by_topic, java_length
from pykafka_ops.broker.state.groups.records import OffsetAndMetadata
from pykafka_ops.broker.state.image import MetadataImage, PartitionImage, TopicImage
from pykafka_ops.wire.codes import ErrorCode

NONE, UNKNOWN, TOO_LARGE, REBALANCING = (
    ErrorCode.NONE,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ErrorCode.OFFSET_METADATA_TOO_LARGE,
    ErrorCode.REBALANCE_IN_PROGRESS,
)
LONGEST = 3


@pytest.fixture
def image() -> MetadataImage:
    """Topic t with partition 0."""
    made = MetadataImage()
    made.topics["t"] = TopicImage("t", bytes(16), {0: PartitionImage(0, 0, (0,), (0,))})
    return made


def commit(topic: str, index: int, metadata: str = "") -> Commit:
    return (topic, index), OffsetAndMetadata(5, -1, metadata)


def test_only_partitions_that_exist_are_written(image: MetadataImage) -> None:
    commits = [commit("u", 0), commit("t", 0), commit("t", 1)]
    checked = Checked(image, commits, LONGEST)
    assert checked.fit == [commits[1]]
    assert checked.codes() == [UNKNOWN, NONE, UNKNOWN]
    assert not checked.hopeless


def test_metadata_that_is_too_long_spares_the_others(image: MetadataImage) -> None:
    commits = [commit("t", 0, "abcd"), commit("t", 0, "abc")]
    checked = Checked(image, commits, LONGEST)
    assert checked.fit == [commits[1]]
    assert checked.codes() == [TOO_LARGE, NONE]


def test_what_the_group_says_counts_for_all_that_exist(image: MetadataImage) -> None:
    commits = [commit("t", 0, "abcd"), commit("u", 0), commit("t", 0)]
    checked = Checked(image, commits, LONGEST)
    assert checked.codes(REBALANCING) == [REBALANCING, UNKNOWN, REBALANCING]


def test_a_request_is_hopeless_if_none_of_its_partitions_exists(image: MetadataImage) -> None:
    assert Checked(image, [commit("u", 0)], LONGEST).hopeless
    assert not Checked(image, [], LONGEST).hopeless


def test_lengths_are_counted_as_java_does() -> None:
    assert [java_length(text) for text in ("", "abc", "é", "\U0001f600")] == [0, 3, 1, 2]


def test_places_are_sorted_into_topics_in_their_order() -> None:
    assert by_topic([("b", 2), ("a", 0), ("b", 1)]) == {"b": [2, 1], "a": [0]}
