"""Records are printed as Kafka's formatters print them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pykafka_ops.commands.consume.formatter import DefaultFormatter, JsonFormatter
from pykafka_ops.commands.consume.printing import formatter
from pykafka_ops.commands.payload.formats import payload_format
from pykafka_ops.errors import DeserializeError, UsageError

ALL = {
    "print.timestamp": "true",
    "print.partition": "true",
    "print.offset": "true",
    "print.headers": "true",
    "print.key": "true",
}
NO_HEADERS: list[tuple[str, bytes | None]] = []


class Message:
    """A message as confluent_kafka gives it."""

    def __init__(
        self,
        key: bytes | None = b"k",
        value: bytes | None = b"v",
        headers: list[tuple[str, bytes | None]] | None = None,
        kind: int = 1,
    ) -> None:
        self._key, self._value, self._headers, self._kind = key, value, headers, kind

    def topic(self) -> str:
        return "t"

    def partition(self) -> int:
        return 0

    def offset(self) -> int:
        return 5

    def timestamp(self) -> tuple[int, int]:
        return self._kind, 1700000000000 if self._kind else -1

    def key(self) -> bytes | None:
        return self._key

    def value(self) -> bytes | None:
        return self._value

    def headers(self) -> list[tuple[str, bytes | None]] | None:
        return self._headers

    def error(self) -> Any:
        return None


def test_only_the_value_is_printed_by_default() -> None:
    assert DefaultFormatter({}).format(Message()) == b"v\n"


def test_all_parts_come_in_kafkas_order() -> None:
    line = DefaultFormatter(ALL).format(Message(headers=[("h1", b"v1"), ("h2", None)]))
    assert line == b"CreateTime:1700000000000\tPartition:0\tOffset:5\th1:v1,h2:null\tk\tv\n"


def test_missing_parts_have_kafkas_names() -> None:
    line = DefaultFormatter(ALL).format(Message(key=None, value=None, kind=0))
    assert line == b"NO_TIMESTAMP\tPartition:0\tOffset:5\tNO_HEADERS\tnull\tnull\n"


def test_log_append_time_is_named() -> None:
    line = DefaultFormatter({"print.timestamp": "true"}).format(Message(kind=2))
    assert line == b"LogAppendTime:1700000000000\tv\n"


def test_separators_and_null_literal_can_be_chosen() -> None:
    properties = {
        "print.key": "true",
        "key.separator": "=>",
        "line.separator": ";",
        "null.literal": "<nil>",
    }
    assert DefaultFormatter(properties).format(Message(key=None)) == b"<nil>=>v;"


@pytest.mark.parametrize(
    "properties",
    [
        {},
        ALL,
        {"print.value": "false"},
        {"print.key": "true", "print.value": "false"},
        {"value.deserializer": "BytesDeserializer", "line.separator": "|"},
    ],
)
def test_many_are_printed_as_each_alone(properties: dict[str, str]) -> None:
    found = DefaultFormatter(properties)
    for messages in (
        [Message(value=b"a"), Message(value=b"b")],
        [Message(value=b"a"), Message(value=None), Message(key=None, headers=[("h", b"1")])],
        [Message(value=b"")],
    ):
        assert found.batch(messages) == b"".join(found.format(m) for m in messages)


def test_a_payload_that_does_not_fit_fails_the_whole_batch() -> None:
    found = DefaultFormatter({"value.deserializer": "LongDeserializer"})
    with pytest.raises(DeserializeError):
        found.batch([Message(value=bytes(8)), Message(value=b"x")])


def test_json_keeps_bytes_that_are_no_text() -> None:
    message = Message(
        key=b"\xff", value='"\n\\ ü\u2028'.encode(), headers=[("h", b"1"), ("n", None)]
    )
    assert json.loads(JsonFormatter().format(message)) == {
        "topic": "t",
        "partition": 0,
        "offset": 5,
        "timestamp": 1700000000000,
        "timestamp_type": "CreateTime",
        "key": "/w==",
        "key_encoding": "base64",
        "value": '"\n\\ ü\u2028',
        "value_encoding": "utf-8",
        "headers": [
            {"key": "h", "value": "1", "value_encoding": "utf-8"},
            {"key": "n", "value": None, "value_encoding": None},
        ],
    }


def test_json_has_every_key_always() -> None:
    line = JsonFormatter().format(Message(key=None, value=None, kind=0))
    assert line.count(b"\n") == 1
    assert json.loads(line) == {
        "topic": "t",
        "partition": 0,
        "offset": 5,
        "timestamp": None,
        "timestamp_type": None,
        "key": None,
        "key_encoding": None,
        "value": None,
        "value_encoding": None,
        "headers": [],
    }


def test_the_no_op_formatter_prints_nothing() -> None:
    found = formatter("org.apache.kafka.tools.consumer.NoOpMessageFormatter", {})
    assert found.format(Message()) == found.batch([Message()]) == b""


def test_deprecated_names_work_and_are_told() -> None:
    said: list[str] = []
    found = formatter("kafka.tools.DefaultMessageFormatter", {}, said.append)
    assert found.format(Message()) == b"v\n"
    assert said == [
        "WARNING: kafka.tools.DefaultMessageFormatter is deprecated and will be removed in the "
        "next major release. Please use org.apache.kafka.tools.consumer.DefaultMessageFormatter "
        "instead"
    ]


def test_an_unknown_formatter_is_refused() -> None:
    for name in ("no.such", "other.DefaultMessageFormatter"):
        with pytest.raises(UsageError, match=name):
            formatter(name, {})


def test_formats_show_keys_and_values_as_text() -> None:
    formats = (payload_format("int", "--key-format"), payload_format("hex", "--value-format"))
    message = Message(key=b"\0\0\0\7", value=b"\xff\0")
    assert DefaultFormatter({}, formats).format(message) == b"7\tff00\n"
    assert DefaultFormatter({}, (None, formats[1])).format(message) == b"ff00\n"
    assert DefaultFormatter({}, formats).format(Message(key=None, value=None)) == b"null\tnull\n"
    with pytest.raises(DeserializeError, match="IntegerDeserializer is not 4"):
        DefaultFormatter({}, formats).format(Message(key=b"x"))


def test_formats_are_named_in_json() -> None:
    formats = (payload_format("long", "--key-format"), payload_format("json", "--value-format"))
    out = JsonFormatter(formats)
    line = json.loads(out.format(Message(key=b"\0" * 7 + b"\5", value='{"ż":[1]}'.encode())))
    assert (line["key"], line["key_encoding"]) == (5, "long")
    assert (line["value"], line["value_encoding"]) == ({"ż": [1]}, "json")
    line = json.loads(out.format(Message(key=b"odd", value=None)))
    assert (line["key"], line["key_encoding"]) == ("b2Rk", "base64")
    assert line["key_error"] == "not long: Size of data received by LongDeserializer is not 8"
    assert line["value"] is None and line["value_encoding"] is None
