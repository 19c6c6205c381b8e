"""Whatever the bytes are, every reader ends as it declares; ``scripts/fuzz`` goes further."""

from __future__ import annotations

import random

import pytest

from tests.support.fuzz.mutations import changed
from tests.support.fuzz.targets import TARGETS
from tests.support.raising import raises_nothing

SLOW = {"produced", "recovered", "dumped"}
"""Readers that take milliseconds for an input."""


@pytest.mark.parametrize("name", TARGETS)
def test_golden_bytes_are_read(name: str) -> None:
    seeds = TARGETS[name].seeds()
    assert seeds
    for data in seeds[:: 10 if name in SLOW else 1]:
        with raises_nothing():
            TARGETS[name].run(data)


@pytest.mark.parametrize("name", TARGETS)
def test_damaged_bytes_end_as_declared(name: str) -> None:
    rng = random.Random(name)
    seeds = [data for data in TARGETS[name].seeds() if data]
    for _ in range(40 if name in SLOW else 200):
        with raises_nothing():
            TARGETS[name].run(changed(rng, seeds))


@pytest.mark.parametrize("name", TARGETS)
def test_short_bytes_end_as_declared(name: str) -> None:
    run = TARGETS[name].run
    for data in (b"", b"\0", b"\xff", bytes(3), b"\xff" * 9, bytes(70), b"\x7f" * 80):
        with raises_nothing():
            run(data)
