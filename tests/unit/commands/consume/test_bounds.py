"""Where reading begins and ends in a partition."""

from __future__ import annotations

import pytest

from pykafka_ops.client.read_bounds import OffsetSpan, ReadBounds
from pykafka_ops.commands.consume import consume
from pykafka_ops.commands.consume.bounds import bounds_of
from pykafka_ops.errors import UsageError
from tests.support.memory.context import args_of

NOW = 1_763_800_000_000
HOUR = 3_600_000
LOW, HIGH = 10, 100


def bounds(*words: str) -> ReadBounds | None:
    return bounds_of(args_of(consume, ["orders", *words]), NOW)


@pytest.mark.parametrize(
    ("words", "first", "until", "span"),
    [
        (["--last", "5"], LOW, -1, OffsetSpan(95, HIGH)),
        (["--last", "500"], LOW, -1, OffsetSpan(LOW, HIGH)),
        (["--last", "5", "--follow"], LOW, -1, OffsetSpan(95, None)),
        (["--last", "5", "--until", "1h"], LOW, 40, OffsetSpan(35, 40)),
        (["--since", "1h"], 60, -1, OffsetSpan(60, HIGH)),
        (["--since", "1h"], -1, -1, OffsetSpan(HIGH, HIGH)),
        (["--since", "1h", "-f"], -1, -1, OffsetSpan(HIGH, None)),
        (["--until", "1h"], LOW, 40, OffsetSpan(LOW, 40)),
        (["--until", "1h"], LOW, -1, OffsetSpan(LOW, HIGH)),
        (["--since", "2h", "--until", "1h"], 30, 40, OffsetSpan(30, 40)),
        (["-p", "0", "--offset", "20..30"], LOW, -1, OffsetSpan(20, 31)),
        (["-p", "0", "--offset", "20.."], LOW, -1, OffsetSpan(20, HIGH)),
        (["-p", "0", "--offset", "..30"], LOW, -1, OffsetSpan(LOW, 31)),
        (["-p", "0", "--offset", "90..300"], LOW, -1, OffsetSpan(90, HIGH)),
        (["-p", "0", "--offset", "90..300", "-f"], LOW, -1, OffsetSpan(90, 301)),
        (["-p", "0", "--offset", "20..", "-f"], LOW, -1, OffsetSpan(20, None)),
        (["-p", "0", "--offset", "20..90", "--until", "1h"], LOW, 40, OffsetSpan(20, 40)),
    ],
)
def test_a_span_is_what_the_options_say_of_what_there_is(
    words: list[str], first: int, until: int, span: OffsetSpan
) -> None:
    found = bounds(*words)
    assert found is not None
    assert found._span(LOW, HIGH, first, until) == span


@pytest.mark.parametrize(
    "words", [[], ["--from-beginning"], ["-p", "0", "--offset", "20"], ["--follow"], ["-g", "g"]]
)
def test_without_such_options_reading_is_that_of_kafkas_tool(words: list[str]) -> None:
    assert bounds(*words) is None


def test_times_have_two_names_and_one_spelling() -> None:
    first = bounds("--since", "2h", "--until", "2025-11-22T08:00Z")
    assert first == bounds("--from", "-2h", "--to", "2025-11-22T08:00")
    assert first is not None
    assert first.times == (NOW - 2 * HOUR, 1_763_798_460_000)
    assert [first.holds(t) for t in (NOW - 2 * HOUR - 1, NOW - 2 * HOUR, first.times[1] or 0)] == [
        False, True, False
    ]  # fmt: skip
    assert first.is_over(first.times[1] or 0)
    assert not first.is_over((first.times[1] or 0) - 1)


@pytest.mark.parametrize(
    "words",
    [["--last", "2", "--since", "1h"], ["--last", "2", "--from-beginning"],
     ["--since", "1h", "--from-beginning"], ["--last", "2", "--group", "g"],
     ["--since", "1h", "--until", "2h"], ["-p", "0", "--offset", "2..1"]],
)  # fmt: skip
def test_what_does_not_go_together_is_refused(words: list[str]) -> None:
    with pytest.raises(UsageError):
        bounds(*words)
