"""Keys and values without a schema: what they look like, and why they are not what was asked."""

from __future__ import annotations

import time

import pytest

from pykafka_ops.monitor.messages.formats import DECODED_BYTES, guessed_part, plain_part
from pykafka_ops.monitor.messages.parts import HEX_BYTES, SoughtText


@pytest.mark.parametrize(
    ("data", "format_", "text", "error"),
    [
        (b'{"a": 1.10}', "json", '{"a":1.10}', ""),
        (b" [1, 2]", "json", "[1,2]", ""),
        (b"plain \xc3\xa9\n", "utf-8", "plain é\n", ""),
        (b"", "utf-8", "", ""),
        (b"{half", "utf-8", "{half", "not json: Expecting property name"),
        (b"\x1b[31mred alert\x1b[0m", "utf-8", "\x1b[31mred alert\x1b[0m", ""),
        (b"\xff\xfe", "hex", "ff fe", ""),
        (b"a\x00b", "hex", "61 00 62", ""),
        (b"\x01\x02\x03", "hex", "01 02 03", ""),
    ],
)
def test_what_bytes_look_like(data: bytes, format_: str, text: str, error: str) -> None:
    part = guessed_part(data)
    assert (part.format, part.text(), part.size) == (format_, text, len(data))
    assert part.error.startswith(error)
    assert bool(part.error) == bool(error)


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        ("int", b"\xff\xff\xff\xff", "-1"), ("long", b"\x00" * 7 + b"\x05", "5"),
        ("hex", b"\x01\xff", "01 ff"), ("base64", b"abc", "YWJj"), ("json", b'"x"', '"x"'),
        ("utf-8", b"\x00", "\x00"),
    ],
)  # fmt: skip
def test_a_format_that_is_asked_for(name: str, data: bytes, text: str) -> None:
    part = plain_part(name, data)
    assert (part.format, part.text(), part.error) == (name, text, "")


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("int", b"abc", "not int: 4 bytes are expected, 3 are there"),
        ("json", b"{", "not json: Expecting"),
        ("utf-8", b"a\xff", "not utf-8: invalid start byte at byte 1"),
    ],
)
def test_bytes_of_another_format_are_shown_in_hexadecimal_with_the_reason(
    name: str, data: bytes, why: str
) -> None:
    part = plain_part(name, data)
    assert part.format == "hex"
    assert part.data == data.hex(" ")
    assert part.error.startswith(why)


def test_what_is_large_is_cut_and_told_and_still_searched_to_its_end() -> None:
    data = "é".encode() * (DECODED_BYTES // 2) + b"needle"
    for part in (guessed_part(data), plain_part("json", data)):
        assert part.format == "utf-8"
        assert part.cut
        assert "2,097,158 bytes: more than 2,097,152 are not decoded" in part.error
        assert len(part.text()) < 70_000
        assert part.contains(SoughtText("NEEDLE"))
        assert not part.contains(SoughtText("pin"))
    binary = guessed_part(b"\xff" * DECODED_BYTES * 2)
    assert binary.format == "hex"
    assert len(binary.text()) == HEX_BYTES * 3 - 1


def test_a_text_is_found_where_slices_of_a_large_value_meet() -> None:
    for at in range((1 << 20) - 8, (1 << 20) + 2):
        data = b"x" * at + b"Needle" + b"x" * (3 << 20)
        assert guessed_part(data).contains(SoughtText("nEEDLE")), at


def test_the_search_of_a_large_value_takes_no_longer_for_a_text_that_nearly_fits() -> None:
    part = guessed_part(b"a" * 20_000_000)
    began = time.thread_time()
    assert not part.contains(SoughtText("a" * 999 + "b"))
    assert time.thread_time() - began < 5  # byte by byte it would be twenty thousand million steps


@pytest.mark.parametrize(
    ("data", "wanted", "held"),
    [
        (b'{"Name" : "Ann"}', "name", True), (b'{"name" : "Ann"}', '"name":"ann"', True),
        (b'{"name" : "Ann"}', '"name" : "ann"', True),
        (b'{"n":"\\u00e9t\\u00e9"}', "\u00e9T\u00e9", True),
        (b'{"n":"a/b"}', "a\\\\/b", False), (b'{"n":"a\\/b"}', "a/b", True),
        (b'{"n":1.10}', "1.1", True),
        (b'{"n":1}', "2", False), (b"plain text", "n T", True), (b"\xff\xfe", "FF fe", True),
    ],
)  # fmt: skip
def test_a_text_is_searched_as_it_was_written_and_as_it_is_shown(
    data: bytes, wanted: str, held: bool
) -> None:
    assert guessed_part(data).contains(SoughtText(wanted)) is held
