"""``--format`` writes records as kcat does, and tables have a row for each."""

from __future__ import annotations

from typing import Any

import pytest

from pykafka_ops.commands.consume import consume
from pykafka_ops.commands.consume.pattern import PatternFormatter
from pykafka_ops.commands.consume.table import TableFormatter
from pykafka_ops.commands.payload.formats import payload_format
from pykafka_ops.errors import UsageError


class Shown:
    """A message as confluent_kafka gives it."""

    def __init__(self, **parts: Any) -> None:
        self.parts = {
            "topic": "t", "partition": 3, "offset": 5, "timestamp": (1, 1_700_000_000_123),
            "key": b"k", "value": b"v", "headers": None, "error": None, **parts,
        }  # fmt: skip

    def __getattr__(self, name: str) -> Any:
        return lambda: self.parts[name]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        (r"%t %p %o\n", b"t 3 5\n"),
        (r"%k=%s %K/%S", b"k=v 1/1"),
        ("%T %d", b"1700000000123 2023-11-14T22:13:20.123Z"),
        (r"100%%\t\\\x00\x1F", b"100%\t\\\x00\x1f"),
        ("", b""),
        ("ü%s", "üv".encode()),
    ],
)
def test_tokens_stand_for_parts_of_a_record(text: str, written: bytes) -> None:
    assert PatternFormatter(text).batch([Shown()]) == written  # type: ignore[list-item]


def test_null_and_what_is_not_there_are_told_by_size() -> None:
    message = Shown(key=None, value=None, timestamp=(0, -1), headers=[("a", b"1"), ("b", None)])
    written = PatternFormatter("[%k|%K|%s|%S|%T|%d|%h]").format(message)  # type: ignore[arg-type]
    assert written == b"[|-1||-1|-1||a=1,b=]"


def test_payloads_are_shown_in_their_formats() -> None:
    formats = (payload_format("hex", ""), payload_format("int", ""))
    message = Shown(value=b"\0\0\0\7")
    assert PatternFormatter("%k %s", formats).format(message) == b"6b 7"  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["%q", r"\q", r"\x1", "%", "\\", "%s%"])
def test_a_token_that_there_is_not_is_told(text: str) -> None:
    with pytest.raises(UsageError, match="stands for nothing"):
        PatternFormatter(text)


def test_help_tells_every_token() -> None:
    (option,) = [o for o in consume.options.values() if o.long == "format"]
    for token in "tpoksKShTd%":
        assert f"%{token} " in str(option.help)
        assert PatternFormatter(f"%{token}").format(Shown()) is not None  # type: ignore[arg-type]


def table(*messages: Shown, topics: bool = False, wide: bool = False) -> list[str]:
    out = TableFormatter((None, None), topics=topics, wide=wide)
    return out.batch(messages).decode().splitlines()  # type: ignore[arg-type]


def test_a_table_has_offset_time_and_key_of_each_record() -> None:
    head, row, other = table(Shown(), Shown(offset=123456789, key=None, timestamp=(0, -1)))
    assert head.split() == ["PARTITION", "OFFSET", "TIME", "KEY", "VALUE"]
    assert row.split() == ["3", "5", "2023-11-14T22:13:20.123Z", "k", "v"]
    assert other.split() == ["3", "123456789", "-", "-", "v"]
    assert head.index("TIME") == row.index("2023")


def test_values_stay_on_a_line_and_are_whole_in_wide_tables() -> None:
    long = Shown(value=b"a\nb\x1b[31m" + b"x" * 100, headers=[("h", b"1")])
    assert table(long)[1].endswith("…")
    assert "\x1b" not in table(long)[1]
    wide = table(long, wide=True)
    assert wide[0].split()[-1] == "HEADERS"
    assert wide[1].endswith("x" * 100 + "  h=1")


def test_topics_have_a_column_where_there_may_be_several_and_titles_come_once() -> None:
    out = TableFormatter((None, None), topics=True, wide=False)
    assert out.format(Shown()).startswith(b"TOPIC  PARTITION")  # type: ignore[arg-type]
    assert out.format(Shown()).startswith(b"t      ")  # type: ignore[arg-type]
