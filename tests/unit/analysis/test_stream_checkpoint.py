"""Files of Structured Streaming checkpoints: as Spark writes them, and as damage leaves them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.analysis.stream_checkpoint import (
    CheckpointError,
    FinishedBatch,
    MicroBatch,
    progress,
    read_offsets,
)
from tests.support.raising import raises_only

HEAD = '{"batchWatermarkMs":0,"batchTimestampMs":1795319676636,"conf":{"a":"b"}}'
ORDERS = {("orders", 0): 23, ("orders", 1): 5}


def test_offsets_of_the_kafka_source_are_read_in_both_versions() -> None:
    line = '{"orders":{"0":23,"1":5}}'
    assert read_offsets(f"v1\n{HEAD}\n{line}") == MicroBatch(1795319676636, ORDERS)
    assert read_offsets(f"v2\n{HEAD}\n0:{line}") == MicroBatch(1795319676636, ORDERS)


def test_other_sources_and_empty_ones_are_left_out() -> None:
    text = f'v1\n{HEAD}\n4\n-\n{{"logOffset":3}}\n{{"t":{{"0":9}}}}\n'
    assert read_offsets(text).offsets == {("t", 0): 9}


def test_a_topic_read_twice_counts_where_it_is_behind() -> None:
    text = f'v1\n{HEAD}\n{{"t":{{"0":9}}}}\n{{"t":{{"0":4}}}}'
    assert read_offsets(text).offsets == {("t", 0): 4}


@pytest.mark.parametrize("line", ['{"t":{"x":1}}', '{"t":{"0":-1}}', '{"t":{"0":true}}',
                                  '{"t":{"99999999999":1}}', '{"t":{"0":1e5}}', "[1]"])  # fmt: skip
def test_what_is_no_offset_of_kafka_is_no_offset(line: str) -> None:
    assert read_offsets(f"v1\n{HEAD}\n{line}").offsets == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it begins with ''"),
        ("v7\n{}\n{}", "it begins with 'v7'"),
        ("v1\n{torn", "not JSON"),
        (f'v1\n{HEAD}\n{{"t":{{"0":', "not JSON"),
        ("v1\n" + "[" * 100_000, "not JSON"),
    ],
)
def test_damage_is_told(text: str, said: str) -> None:
    with pytest.raises(CheckpointError, match=said):
        read_offsets(text)


@given(st.text(max_size=200))
def test_no_text_breaks_it(text: str) -> None:
    for whole in (text, f"v1\n{HEAD}\n{text}"):
        with raises_only(CheckpointError):
            read_offsets(whole)


PARTITIONS = st.dictionaries(
    st.integers(0, 2**31 - 1).map(str), st.integers(0, 2**63 - 1), max_size=4
)


@given(st.dictionaries(st.text(min_size=1, max_size=9), PARTITIONS, max_size=4))
def test_every_offset_is_found(topics: dict[str, dict[str, int]]) -> None:
    found = read_offsets(f"v1\n{HEAD}\n{json.dumps(topics)}").offsets
    assert found == {(t, int(p)): o for t, inside in topics.items() for p, o in inside.items()}


def test_only_batches_that_are_done_count() -> None:
    batches = {1: MicroBatch(100, {}), 2: MicroBatch(200, {}), 3: MicroBatch(300, ORDERS)}
    assert [p.number for p in progress(batches, {1: 150, 2: 250, 9: 1})] == [1, 2]


def test_the_time_of_a_commit_is_that_of_its_file_unless_it_was_copied() -> None:
    batches = {
        1: MicroBatch(100, {}),
        2: MicroBatch(200, {}),
        3: MicroBatch(300, {}),
        4: MicroBatch(None, {}),
    }
    found = progress(batches, {1: 150, 2: 9000, 3: 7, 4: 8})
    assert [p.time for p in found] == [150, 300, 300, 8]
    assert progress({5: MicroBatch(500, ORDERS)}, {5: 600}) == [FinishedBatch(5, 600, ORDERS)]
