"""One line for each thing, now and then, with the number of those left out."""

from __future__ import annotations

import pytest

from pykafka_ops.broker.runtime.security.rare_lines import RareLines
from pykafka_ops.broker.state.line_limit import PERIOD_MS


def test_the_same_thing_is_told_once_in_a_while_with_how_often(
    caplog: pytest.LogCaptureFixture,
) -> None:
    now = 0.0
    lines = RareLines(lambda: now)
    for number in range(3):
        lines.say(f"client {number} is late", "X", "late")
    lines.say("client 9 is lost", "X", "lost")
    now = PERIOD_MS
    lines.say("client 3 is late", "X", "late")
    now += PERIOD_MS
    lines.say("client 4 is late", "X", "late")
    assert caplog.messages == [
        "client 0 is late",
        "client 9 is lost",
        "client 3 is late (2 more like this meanwhile)",
        "client 4 is late",
    ]
