"""A search in the words of an address, and conditions over what is seen of a record."""

from __future__ import annotations

import pytest

from pykafka_ops.analysis.conditions import ConditionError
from pykafka_ops.client.read_bounds import LAST_OFFSET
from pykafka_ops.monitor.messages.conditions import meets, record_condition
from pykafka_ops.monitor.messages.cursor import OffsetStretch, read_cursor, write_cursor
from pykafka_ops.monitor.messages.formats import guessed_part
from pykafka_ops.monitor.messages.query import search_query
from pykafka_ops.monitor.messages.shown import ShownRecord

NOW = 1_763_800_000_000
RECORD = ShownRecord(
    2, 17, NOW, "committed", guessed_part(b"order-17"),
    guessed_part(
        b'{"amount":100.50,"id":9007199254740993,"paid":true,"to":{"first-name":"Ann"},'
        b'"lines":[{"sku":"a"}],"none":null,"at":"2026-11-21T08:00"}'
    ),
    [("trace-id", guessed_part(b"t1"))],
)  # fmt: skip


def test_without_words_the_newest_records_of_all_partitions_are_wanted() -> None:
    query = search_query({"key": "", "since": " "}, NOW)
    assert query.newest
    assert (query.partitions, query.limit, query.uncommitted, query.control) == (
        (),
        50,
        False,
        False,
    )
    assert query.bounds.offsets is None


def test_words_say_where_to_read() -> None:
    query = search_query(
        {"order": "oldest", "partition": "2, 0,2", "offset": "5", "limit": "7"}, NOW
    )
    assert not query.newest
    assert query.partitions == (2, 0)
    assert query.bounds.offsets == (5, LAST_OFFSET)
    assert search_query({"offset": "5..9"}, NOW).bounds.offsets == (5, 9)
    timed = search_query({"since": "1h", "until": "2025-11-22T08:00Z"}, NOW)
    assert timed.bounds.times[0] == NOW - 3_600_000
    assert search_query({"last": "3"}, NOW).bounds.last == 3


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({"colour": "red"}, "colour is not one of order"),
        ({"order": "up"}, "choose one of newest, oldest"),
        ({"partition": "x"}, "write numbers by comma"),
        ({"partition": ",".join(map(str, range(257)))}, "at most 256"),
        ({"limit": "0"}, "from 1 to 500"),
        ({"limit": "9" * 400}, "from 1 to 500"),
        ({"offset": "9..5"}, "write FIRST"),
        ({"offset": "9" * 400}, "write FIRST"),
        ({"since": "yesterday"}, "is not a time"),
        ({"since": "1h", "last": "3"}, "exclude each other"),
        ({"since": "1h", "until": "2h"}, "before"),
        ({"where": "colour=red"}, "there is no field colour"),
        ({"where": "value.x"}, "is not a condition"),
        ({"text": "x" * 1001}, "at most 1000 characters"),
        ({"value_format": "avro:/etc/passwd"}, "choose one of auto"),
        ({"cursor": "x"}, "not one of an earlier answer"),
        ({"cursor": write_cursor("oldest", {0: OffsetStretch(0, 5)})}, "order=oldest"),
    ],
)
def test_wrong_words_are_told_in_one_line(words: dict[str, str], why: str) -> None:
    with pytest.raises(ValueError, match=why) as error:
        search_query(words, NOW)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400


def test_a_cursor_keeps_what_is_left_of_each_partition() -> None:
    left = {n: OffsetStretch(n * 10**12, n * 10**12 + 99) for n in range(256)}
    text = write_cursor("newest", left)
    assert read_cursor(text) == ("newest", left)
    assert len(text) < 6_000


@pytest.mark.parametrize(
    "text", ["", "AAAA", "é", "eNrLN9QxsDKxMjfUMbQyszIz0jGyMjSzMjUAAEIVBR", "=" * 9]
)
def test_any_other_cursor_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not one of an earlier answer"):
        read_cursor(text)


def test_a_cursor_that_unpacks_to_a_lot_is_refused() -> None:
    import zlib
    from base64 import urlsafe_b64encode

    bomb = urlsafe_b64encode(zlib.compress(b"n1," + b"0:0:1," * 10_000_000)).decode()
    with pytest.raises(ValueError, match="not one of an earlier answer"):
        read_cursor(bomb)


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("value.amount>100", True), ("value.amount>100.5", False), ("value.amount=100.5", True),
        ("value.id=9007199254740993", True), ("value.id=9007199254740992", False),
        ("value.id>9007199254740992", True),
        ("value.amount>100&key=order-17", True), ("key=order-1|value.paid=true", True),
        ("key=Order-17", False), ("key!=order-17", False), ("value.lines.0.sku=a", True),
        ("value.lines.1.sku=a", False), ("value.to.first-name=Ann", True),
        ("value.missing=1", False), ("value.missing!=1", True), ("value.none=1", False),
        ("value.missing>1", False), ("value.at>2026-11-20", True), ("value.at>5", False),
        ("header.trace-id=t1", True), ("partition=2&offset>=17", True),
        ("timestamp>2030-01-01", False),
        ("value.lines=a", False), ("value.to.first-name>5", False),
    ],
)  # fmt: skip
def test_conditions_look_into_keys_values_and_headers(text: str, held: bool) -> None:
    assert meets(record_condition(text), RECORD) is held


@pytest.mark.parametrize("text", ["", "value.", "value.x>", "nope=1", "offset>x"])
def test_a_condition_that_is_none_is_told(text: str) -> None:
    with pytest.raises(ConditionError):
        record_condition(text)
