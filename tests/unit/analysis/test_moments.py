"""Times as people write them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.analysis import moments
from pykafka_ops.errors import UsageError

NOW = 1_763_800_000_000
DAY, HOUR, MINUTE, SECOND = 86_400_000, 3_600_000, 60_000, 1000


def at(*parts: int) -> int:
    return int(datetime(*parts, tzinfo=UTC).timestamp() * 1000)  # type: ignore[arg-type, misc]


@pytest.mark.parametrize(
    ("text", "first", "long"),
    [
        ("2026-11-21", at(2026, 11, 21), DAY),
        ("2026-11-21T08", at(2026, 11, 21, 8), HOUR),
        ("2026-11-21T08:05", at(2026, 11, 21, 8, 5), MINUTE),
        ("2026-11-21 08:05:09", at(2026, 11, 21, 8, 5, 9), SECOND),
        ("2026-11-21T08:05:09.250Z", at(2026, 11, 21, 8, 5, 9) + 250, 1),
        ("2026-11-21T08:05+02:00", at(2026, 11, 21, 6, 5), MINUTE),
        ("1763800000123", 1763800000123, 1),
        ("0", 0, 1),
        ("-2h", NOW - 2 * HOUR, 1),
        ("2h", NOW - 2 * HOUR, 1),
        ("-90s", NOW - 90 * SECOND, 1),
    ],
)
def test_a_moment_is_as_long_as_it_is_exact(text: str, first: int, long: int) -> None:
    assert moments.moment(text, NOW) == (first, first + long)


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("2026-11-21..2026-11-22", (at(2026, 11, 21), at(2026, 11, 23))),
        ("2026-11-21T08:00..", (at(2026, 11, 21, 8), None)),
        ("..1000", (None, 1001)),
        ("-2h..-1h", (NOW - 2 * HOUR, NOW - HOUR + 1)),
        ("5", (5, 6)),
    ],
)
def test_a_period_reaches_to_the_end_of_its_last_moment(
    text: str, times: tuple[int | None, int | None]
) -> None:
    assert moments.period(text, NOW) == times


@pytest.mark.parametrize("text", ["", "..", "x", "2026-13-01", "2026-11-21T25", "9..3", "²", "-5"])
def test_what_is_no_time_is_an_error(text: str) -> None:
    with pytest.raises(UsageError):
        moments.period(text, NOW)


@pytest.mark.parametrize("text", ["", "0s", "0", "m", "-5m", "1y", "1.5h"])
def test_what_is_no_span_is_an_error(text: str) -> None:
    with pytest.raises(UsageError, match="not a length of time"):
        moments.span(text)


def test_spans_go_there_and_back() -> None:
    for text in ("1ms", "250ms", "30s", "5m", "1h", "7d"):
        assert moments.span_text(moments.span(text)) == text
    assert moments.span("2w") == 14 * DAY
    assert moments.span("5") == 5 * SECOND
    for step, following in zip(moments.STEPS, moments.STEPS[1:], strict=False):
        assert following % step == 0 and moments.longer(step) == following
    assert moments.longer(moments.STEPS[-1]) == 10 * moments.STEPS[-1]


@given(st.integers(0, 253_402_300_799_999))
def test_text_is_read_back_as_the_same_ms(ms: int) -> None:
    assert moments.moment(moments.moment_text(ms), NOW)[0] == ms


def test_times_beyond_the_calendar_are_numbers() -> None:
    assert moments.moment_text(2**62) == str(2**62)
    assert moments.moment_text(-(2**62)) == str(-(2**62))
    assert moments.moment_text(5000, parts=False) == "1970-01-01T00:00:05Z"


def test_until_may_not_be_before_since() -> None:
    assert moments.between("2h", None, NOW) == (NOW - 2 * HOUR, None)
    assert moments.between(None, "5", NOW) == (None, 6)
    with pytest.raises(UsageError, match="--until 3h is before --since 2h"):
        moments.between("2h", "3h", NOW)


@pytest.mark.parametrize(
    ("text", "ms"),
    [("1h30m", 90 * 60_000), ("1d12h", 36 * 3_600_000), ("1m500ms", 60_500), ("0h5s", 5000)],
)
def test_a_span_may_have_several_units(text: str, ms: int) -> None:
    assert moments.span(text) == ms
    assert moments.moment(text, 10**9) == moments.moment(f"-{text}", 10**9)
    assert moments.moment(text, 10**9)[0] == 10**9 - ms


@pytest.mark.parametrize("text", ["0", "0s", "0ms", "0h0m"])
def test_a_wait_may_be_none(text: str) -> None:
    assert moments.span_or_none(text) == 0
    assert moments.span_or_none("5m") == moments.span("5m")
    with pytest.raises(UsageError, match="not a length of time"):
        moments.span_or_none("none")


@pytest.mark.parametrize("text", ["1h30", "h", "1h-30m", "1h 30m", "0h0m"])
def test_what_is_nearly_a_span_is_an_error(text: str) -> None:
    with pytest.raises(UsageError):
        moments.span(text)
