"""JSON read and written without a digit lost, however large, deep or odd it is."""

from __future__ import annotations

import json

import pytest

from pykafka_ops.errors import DeserializeError
from pykafka_ops.payload.exact_json import MOST_DEPTH, check_depth, read_json, write_json


@pytest.mark.parametrize(
    "text",
    [
        '{"a":1.10,"b":12345678901234567890123,"c":1E400,"d":-0,"e":[true,null,"é"]}',
        "[]", "{}", '[[],{}]', '"x"', "9" * 6000, '{"a":[1,{"b":[]}]}',
    ],
)  # fmt: skip
def test_numbers_and_texts_stay_as_they_were_written(text: str) -> None:
    assert write_json(read_json(text.encode())) == text


def test_lines_are_those_of_json() -> None:
    value = {"a": [1, {"b": None}], "c": {}, "d": []}
    assert write_json(value, indent=2) == json.dumps(value, indent=2)


def test_what_is_no_number_of_json_is_written_as_text() -> None:
    assert write_json([float("nan"), float("inf"), 1.5, b"x"]) == '["nan","inf",1.5,"b\'x\'"]'


def test_half_a_character_is_escaped() -> None:
    written = write_json(read_json(b'"\\ud800"'))
    assert written == '"\\ud800"'
    assert written.encode() == b'"\\ud800"'


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\xff", "invalid start byte at byte 0"),
        (b"{", "Expecting property name"),
        (b"[NaN]", "NaN is not JSON"),
        (b"[" * 100_000, "nested too deep"),
        (b"[" * (MOST_DEPTH + 1) + b"]" * (MOST_DEPTH + 1), f"nested more than {MOST_DEPTH} deep"),
        (b"", "Expecting value"),
    ],
)
def test_what_is_no_json_is_told_in_one_line(data: bytes, why: str) -> None:
    with pytest.raises(DeserializeError, match=why):
        read_json(data)


def test_writing_ends_soon_behind_what_is_wanted() -> None:
    many = ["x" * 100] * 100_000
    assert 1000 < len(write_json(many, most=1000)) < 1300


def test_depth_is_counted_not_width() -> None:
    check_depth([[1]] * 1000)
    deep: object = 1
    for _ in range(5_000):
        deep = {"a": deep}
    with pytest.raises(DeserializeError):
        check_depth(deep)
