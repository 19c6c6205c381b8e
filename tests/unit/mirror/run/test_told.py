"""Each fact is a line, once."""

from __future__ import annotations

import logging

import pytest

from pykafka_ops.mirror.run.told import Told


def test_a_trouble_is_said_when_it_comes_changes_and_goes(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    told = Told("a->b")
    for text in ("away", "away", "refused", None, None):
        told.trouble("cluster a", text)
    assert caplog.messages == [
        "a->b: cluster a: away",
        "a->b: cluster a: refused",
        "a->b: cluster a goes on",
    ]


def test_troubles_of_a_kind_that_are_over_are_said_so(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    told = Told("l")
    told.troubles("partition ", {"t-0": "too large", "t-1": "denied"})
    told.troubles("partition ", {"t-1": "denied"})
    assert caplog.messages[2:] == ["l: partition t-0 goes on"]


def test_a_note_is_said_as_long_as_it_is_new(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    told = Told("l")
    for lines in (["x"], ["x", "y"], [], ["x"]):
        told.notes(lines)
    told.fact("f")
    assert caplog.messages == ["l: x", "l: y", "l: x", "l: f"]
