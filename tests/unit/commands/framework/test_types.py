"""Times, spans and sizes of command lines."""

from __future__ import annotations

import pytest

from pykafka_ops.commands.cluster import cluster
from pykafka_ops.commands.dump_log import dump_log
from pykafka_ops.commands.reassign_partitions import reassign_partitions
from pykafka_ops.errors import UsageError
from tests.support.memory.context import args_of

NOW = 1_763_800_000_000


def test_a_span_is_read_in_ms() -> None:
    assert args_of(dump_log, ["timeline", "x", "--every", "5m"]).span("every") == 300_000
    assert args_of(dump_log, ["timeline", "x"]).span("every") is None


def test_a_watch_takes_seconds_a_span_or_nothing() -> None:
    assert args_of(cluster, ["status", "--watch", "2"]).span("watch") == 2000
    assert args_of(cluster, ["status", "-w", "500ms"]).span("watch") == 500
    assert args_of(cluster, ["status", "--watch", "--fail-on", "a>1"]).span("watch") == 5000


def test_a_moment_may_look_like_an_option() -> None:
    args = args_of(dump_log, ["timeline", "x", "--since", "-2h", "--until", "1h"])
    assert args.moment("since", NOW) == (NOW - 7_200_000, NOW - 7_200_000 + 1)
    assert args.moment("until", NOW) == (NOW - 3_600_000, NOW - 3_600_000 + 1)


def test_a_period_may_be_open() -> None:
    assert args_of(dump_log, ["find", "x", "--time", "..5"]).period("time", NOW) == (None, 6)


def test_a_size_is_read_in_bytes() -> None:
    words = ["plan", "--max-bytes", "1.5KiB"]
    assert args_of(reassign_partitions, words).size("max-bytes") == 1536


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (
            ["timeline", "x", "--every", "5y"],
            "--every: '5y' is not a length of time: write 500ms, ",
        ),
        (["timeline", "x", "--since", "noon"], "--since: 'noon' is not a time: write 2026-11-21, "),
        (["find", "x", "--time", ".."], "--time: '..' is not a period of time: write "),
        (["find", "x", "-n", "0"], "--max-messages 0: write a number from 1 on"),
        (["find", "x", "-n", "many"], "--max-messages many: give a whole number"),
    ],
)
def test_what_cannot_be_read_is_said_with_a_way_out(words: list[str], text: str) -> None:
    with pytest.raises(UsageError) as caught:
        args_of(dump_log, words)
    assert str(caught.value).startswith(text)
