"""Dates and durations as Java reads them; the expected values were taken from a JVM."""

from __future__ import annotations

import pytest

from pykafka_ops.commands.groups.reset_plan import MomentError, parse_datetime, parse_duration


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1970-01-01T00:00:00.000", 0),
        ("2023-11-14T22:44:20.000", 1_700_001_860_000),
        ("2023-11-14T22:44:20.123Z", 1_700_001_860_123),
        ("2023-11-14T22:44:20.000+02:00", 1_699_994_660_000),
        ("2023-11-14T22:44:20.000-01:30", 1_700_007_260_000),
        ("2023-11-14T22:44:20.000+02", 1_699_994_660_000),
        ("2023-11-14T22:44:20.5", 1_700_001_860_005),
        ("2023-1-1T1:1:1.1", 1_672_534_861_001),
    ],
)
def test_a_date_is_ms_since_1970(text: str, expected: int) -> None:
    assert parse_datetime(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "yesterday",
        "2023-11-14",
        "2023-11-14T22:44:20",
        "T",
        "2023-11-14T22:44:20.000+2",
        "",
        "2023-13-01T00:00:00.000",
        "2023-02-29T00:00:00.000",
        "2023-11-14T24:00:00.000",
        "2023-11-14T22:44:20.1234",
        "2023-11-14T22:44:20.000+25:00",
    ],
)
def test_what_is_no_date_is_told(text: str) -> None:
    with pytest.raises(MomentError, match="ParseException"):
        parse_datetime(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("PT0S", 0),
        ("P1D", 86_400_000),
        ("P1DT2H3M4.5S", 93_784_500),
        ("pt15m", 900_000),
        ("-PT10S", -10_000),
        ("PT-6H+3M", -21_420_000),
        ("PT-0.5S", -500),
        ("PT1.S", 1000),
    ],
)
def test_a_duration_is_ms(text: str, expected: int) -> None:
    assert parse_duration(text) == expected


@pytest.mark.parametrize("text", ["", "P", "PT", "1h", "P1DT", "P1Y", "PT1H2", "P1.5D", "PTS"])
def test_what_is_no_duration_is_told(text: str) -> None:
    with pytest.raises(MomentError, match="cannot be parsed to a Duration"):
        parse_duration(text)


def test_minutes_of_a_zone_count_without_a_colon_too() -> None:
    assert parse_datetime("2023-11-14T22:44:20.000-0130") == 1_700_007_260_000
