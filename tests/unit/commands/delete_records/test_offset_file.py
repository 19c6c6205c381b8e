import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.commands.delete_records.offset_file import (
    OffsetFileError,
    parse_offsets,
    read_file,
)
from tests.support.raising import raises_only


def test_offsets_by_partition() -> None:
    text = json.dumps({"partitions": [{"topic": "a", "partition": 1, "offset": -1}]})
    assert parse_offsets(text) == {("a", 1): -1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "The input string is not a valid JSON"),
        ("{", "The input string is not a valid JSON"),
        ('{"version": 2, "partitions": []}', "Not supported version field value 2"),
        ('{"version": 1}', "Missing partitions field"),
        ('{"partitions": [{"topic": "x", "partition": 0}]}', "No such field exists: `offset`"),
        (
            '{"partitions": [{"topic":"v","partition":0,"offset":5},'
            '{"topic":"v","partition":0,"offset":6}]}',
            "Offset json file contains duplicate topic partitions: v-0",
        ),
    ],
)
def test_wrong_files_are_told_as_kafka_does(text: str, message: str) -> None:
    with pytest.raises(OffsetFileError) as caught:
        parse_offsets(text)
    assert str(caught.value) == message


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["version", "partitions", "topic", "partition", "offset"]), inner
        )
    ),
    max_leaves=8,
)


@given(JSON)
def test_any_json_is_read_or_refused(data: object) -> None:
    with raises_only(OffsetFileError):
        parse_offsets(json.dumps(data))


def test_a_missing_file_is_told_as_kafka_does() -> None:
    with pytest.raises(OffsetFileError, match=r"^Unable to read file missing\.json$"):
        read_file("missing.json")
