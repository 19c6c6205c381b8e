"""Lines become records by the rules of Kafka's LineMessageReader."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.commands.produce.line_reader import LineError, LineReader, text_lines


def read(line: bytes, **properties: str) -> object:
    return LineReader({k.replace("_", "."): v for k, v in properties.items()}).record(line, 1)


def test_a_plain_line_is_the_value() -> None:
    assert read(b"a\tb") == (None, b"a\tb", [])


def test_the_first_separator_parts_key_and_value() -> None:
    assert read(b"k2\tv2\tmore", parse_key="true") == (b"k2", b"v2\tmore", [])


def test_empty_keys_and_values_are_empty_not_null() -> None:
    assert read(b":v5", parse_key="true", key_separator=":") == (b"", b"v5", [])
    assert read(b"k4:", parse_key="true", key_separator=":") == (b"k4", b"", [])


def test_headers_stand_before_the_key() -> None:
    line = b"h1:a,h2:b\tk6\tv6"
    assert read(line, parse_headers="true", parse_key="true") == (
        b"k6",
        b"v6",
        [("h1", b"a"), ("h2", b"b")],
    )


def test_all_separators_can_be_chosen() -> None:
    found = LineReader(
        {
            "parse.headers": "true",
            "headers.delimiter": "|",
            "headers.separator": ";",
            "headers.key.separator": "=",
        }
    ).record(b"x=1;y=2|v8", 1)
    assert found == (None, b"v8", [("x", b"1"), ("y", b"2")])


def test_the_null_marker_makes_key_value_and_header_values_null() -> None:
    assert read(b"NULL\tv9", parse_key="true", null_marker="NULL") == (None, b"v9", [])
    assert read(b"k10\tNULL", parse_key="true", null_marker="NULL") == (b"k10", None, [])
    assert read(b"h:NULL\tv", parse_headers="true", null_marker="NULL") == (
        None,
        b"v",
        [("h", None)],
    )


@pytest.mark.parametrize(
    ("line", "properties", "text"),
    [
        (b"nosep", {"parse.key": "true"}, "No key separator found on line number 1: 'nosep'"),
        (
            b"\tk7\tv7",
            {"parse.headers": "true", "parse.key": "true"},
            "No header key separator found in pair '' on line number 1",
        ),
        (
            b"badheader\tv",
            {"parse.headers": "true"},
            "No header key separator found in pair 'badheader' on line number 1",
        ),
        (
            b"v",
            {"parse.headers": "true"},
            "No headers delimiter found on line number 1: 'v'",
        ),
    ],
)
def test_a_bad_line_is_named_with_kafkas_words(
    line: bytes, properties: dict[str, str], text: str
) -> None:
    with pytest.raises(LineError) as caught:
        LineReader(properties).record(line, 1)
    assert str(caught.value) == text


def test_ignore_error_takes_the_whole_line_as_value() -> None:
    assert read(b"nosep-kept", parse_key="true", ignore_error="true") == (None, b"nosep-kept", [])


@pytest.mark.parametrize(
    ("properties", "text"),
    [
        (
            {"headers.delimiter": ",", "headers.separator": ","},
            "headers.delimiter and headers.separator may not be equal",
        ),
        (
            {"headers.delimiter": ":"},
            "headers.delimiter and headers.key.separator may not be equal",
        ),
        ({"null.marker": "\t"}, "null.marker and key.separator may not be equal"),
        ({"null.marker": ","}, "null.marker and headers.separator may not be equal"),
    ],
)
def test_colliding_separators_are_refused(properties: dict[str, str], text: str) -> None:
    with pytest.raises(LineError) as caught:
        LineReader(properties)
    assert str(caught.value) == text


def lines(*chunks: bytes) -> list[bytes]:
    return [line for some in text_lines(chunks) for line in some]


def test_lines_end_as_java_ends_them() -> None:
    text = b"one\ntwo\r\nthree\rfour\n\nlast"
    assert lines(text) == [b"one", b"two", b"three", b"four", b"", b"last"]
    assert lines(b"a\r") == [b"a"]
    assert lines(b"\r") == [b""]
    assert lines(b"a\n") == [b"a"]
    assert lines() == []


@given(st.text("a\r\n", max_size=12), st.lists(st.integers(0, 12), max_size=4))
def test_lines_do_not_depend_on_how_they_arrive(text: str, cuts: list[int]) -> None:
    data = text.encode()
    places = sorted({0, len(data), *(c for c in cuts if c < len(data))})
    chunks = [data[a:b] for a, b in pairwise(places)]
    assert lines(*chunks) == data.splitlines()


def test_each_chunk_gives_its_lines_at_once() -> None:
    found = text_lines(iter([b"a\nb", b"c\nd\n", b"e"]))
    assert list(found) == [[b"a"], [b"bc", b"d"], [b"e"]]


def test_bytes_that_are_no_text_arrive_as_they_are() -> None:
    assert read(b"\xff\xfe") == (None, b"\xff\xfe", [])


def test_only_values_need_no_reading() -> None:
    assert LineReader({}).plain
    for name in ("parse.key", "parse.headers"):
        assert not LineReader({name: "true"}).plain
    assert not LineReader({"null.marker": "NULL"}).plain
