"""Values as text: short, safe, and ``-`` where nothing is known."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.monitor.wording.text import escaped, moment, rate, safe, size, span, whole


def test_what_is_not_known_is_a_dash_and_never_0() -> None:
    assert [f(None) for f in (whole, rate, size, span, moment)] == ["-"] * 5
    assert [whole(0), rate(0), span(0), size(0)] == ["0", "0.0", "0s", "0 B"]


def test_spans_have_two_units_at_most() -> None:
    assert [span(s) for s in (4.2, 59, 185, 7800, 86_400, 1_000_000, 40_000_000)] == [
        "4.2s", "59s", "3m5s", "2h10m", "1d", "11d13h", "462d",
    ]  # fmt: skip


def test_large_counts_fit_into_nine_columns_and_keep_their_size() -> None:
    assert [whole(n) for n in (999_999_999, 1_234_567_890_123, -5)] == ["999999999", "1.235T", "-5"]


def test_control_characters_and_turned_directions_of_a_name_are_not_shown() -> None:
    assert safe("a\x1b[31mb\u202ec\nd") == "a�[31mb�c�d"
    assert safe("[red]x[/red] 😀") == "[red]x[/red] 😀"
    assert len(safe("x" * 5000)) == 501


def test_bytes_of_a_record_are_escaped_so_that_none_is_mistaken() -> None:
    assert escaped(b"a\n\x1b[0m\\x1b\xff\xe2\x80\xae", 100) == r"a\n\x1b[0m\\x1b\xff\u202e"
    assert [escaped(None, 9), escaped(b"", 9)] == ["(null)", '""']
    assert escaped(b"abcdef", 3) == "abc… (6 bytes)"
    assert escaped(b"abc", 10, 7000) == "abc… (7000 bytes)"


@given(st.binary(max_size=60))
def test_no_byte_of_a_record_reaches_the_terminal_raw(data: bytes) -> None:
    assert escaped(data, 100).isprintable()


@given(st.text(max_size=60))
def test_no_character_of_a_name_moves_the_cursor(name: str) -> None:
    assert not [c for c in safe(name) if ord(c) < 32 or 127 <= ord(c) < 160 or c == "\u2028"]


def test_moments_that_no_calendar_has_are_numbers() -> None:
    assert moment(1 << 62) == "4.612E"
    assert moment(0) == "1970-01-01 00:00:00"
