"""Checkpoint files, partition.metadata and meta.properties."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.disk import checkpoint
from pykafka_ops.disk.checkpoint import MetaProperties
from pykafka_ops.errors import CorruptIndexError
from tests.support.raising import raises_only

TOPICS = st.from_regex(r"[a-zA-Z0-9._-]{1,20}", fullmatch=True)
OFFSETS = st.dictionaries(
    st.tuples(TOPICS, st.integers(0, 2**31 - 1)), st.integers(-1, 2**63 - 1), max_size=10
)


@given(OFFSETS)
def test_offset_checkpoints_round_trip(offsets: dict[tuple[str, int], int]) -> None:
    text = checkpoint.format_offsets(offsets)
    assert checkpoint.parse_offsets(text) == offsets
    assert checkpoint.format_offsets(checkpoint.parse_offsets(text)) == text


@given(st.lists(st.tuples(st.integers(0, 2**31 - 1), st.integers(0, 2**63 - 1)), max_size=8))
def test_epoch_checkpoints_round_trip(entries: list[tuple[int, int]]) -> None:
    assert checkpoint.parse_epochs(checkpoint.format_epochs(entries)) == entries


@pytest.mark.parametrize("text", ["", "0\n", "0\n0\n", "0\n0"])
def test_files_without_entries(text: str) -> None:
    assert checkpoint.parse_offsets(text) == {} and checkpoint.parse_epochs(text) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1\n0\n", "Unrecognized version of the checkpoint file (f): 1"),
        ("x\n0\n", "Malformed line in checkpoint file (f): 'x'"),
        ("0\ny\n", "Malformed line in checkpoint file (f): 'y'"),
        ("0\n1\na 0\n", "Malformed line in checkpoint file (f): 'a 0'"),
        ("0\n1\na b 5\n", "Malformed line in checkpoint file (f): 'a b 5'"),
        ("0\n1\na 0 9223372036854775808\n", "Malformed line"),
        ("0\n1\na 2147483648 0\n", "Malformed line"),
        ("0\n2\na 0 5\n", "Expected 2 entries in checkpoint file (f), but found only 1"),
        ("0\n0\na 0 5\n", "Expected 0 entries"),
        ("0\n1\n\n", "Malformed line"),
    ],
)
def test_malformed_checkpoints_are_named(text: str, reason: str) -> None:
    with pytest.raises(CorruptIndexError) as caught:
        checkpoint.parse_offsets(text, "f")
    assert reason in str(caught.value)


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    for parse in (
        checkpoint.parse_offsets,
        checkpoint.parse_epochs,
        checkpoint.parse_partition_metadata,
        checkpoint.parse_meta_properties,
    ):
        with raises_only(CorruptIndexError):
            parse(text)


def test_partition_metadata_round_trips() -> None:
    topic_id = bytes(range(16))
    text = checkpoint.format_partition_metadata(topic_id)
    assert text == "version: 0\ntopic_id: AAECAwQFBgcICQoLDA0ODw"
    assert checkpoint.parse_partition_metadata(text) == topic_id
    assert checkpoint.parse_partition_metadata(text + "\n") == topic_id


@pytest.mark.parametrize(
    "text",
    [
        "",
        "version: 0",
        "version: 1\ntopic_id: AAECAwQFBgcICQoLDA0ODw",
        "version: 0\ntopic_id: AA",
        "version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAA",
        "topic_id: x\nversion: 0",
    ],
)
def test_bad_partition_metadata_is_refused(text: str) -> None:
    with pytest.raises(CorruptIndexError):
        checkpoint.parse_partition_metadata(text)


def test_meta_properties_are_made_as_kafka_writes_them() -> None:
    meta = MetaProperties(cluster_id="abc", broker_id=3)
    text = checkpoint.format_meta_properties(meta)
    assert text == "broker.id=3\nversion=0\ncluster.id=abc\n"
    found = checkpoint.parse_meta_properties(text)
    assert (found.broker_id, found.cluster_id, found.version) == (3, "abc", 0)


def test_meta_properties_keep_comments_order_and_unknown_keys() -> None:
    text = "#\n#Sat Nov 21\ncluster.id=c\nx.y=1 2\nversion=1\nnode.id=4\ndirectory.id=D\n"
    found = checkpoint.parse_meta_properties(text)
    assert (found.broker_id, found.directory_id, found.extra) == (4, "D", {"x.y": "1 2"})
    assert checkpoint.format_meta_properties(found) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "broker.id=1\n",
        "version=x\n",
        "version=2\nbroker.id=1\n",
        "version=0\nbroker.id=one\n",
        "version=0\nbroker.id=\n",
    ],
)
def test_bad_meta_properties_are_refused(text: str) -> None:
    with pytest.raises(CorruptIndexError):
        checkpoint.parse_meta_properties(text)
