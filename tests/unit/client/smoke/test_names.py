"""Names tell whose they are, and whether that run can still be alive."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from pykafka_ops.client.smoke import names
from pykafka_ops.client.smoke.names import COMPACTED, OLD_MS, is_left_behind, name_of

NOW = 1_795_000_000_123


@pytest.fixture(scope="module")
def dead() -> int:
    """The id of a process that has ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def of_process(name: str, pid: int) -> str:
    return name.removesuffix(str(os.getpid())) + str(pid)


def test_what_a_living_process_made_is_not_left_behind_until_it_is_old() -> None:
    name = name_of(NOW)
    for now in (NOW, NOW + OLD_MS):
        assert not is_left_behind(name, now)
        assert not is_left_behind(name + COMPACTED, now)
    assert is_left_behind(name, NOW + OLD_MS + 1)
    assert is_left_behind(name + COMPACTED, NOW + OLD_MS + 1)


def test_what_a_process_of_this_machine_made_that_ended_is_left_behind_at_once(dead: int) -> None:
    assert is_left_behind(of_process(name_of(NOW), dead), NOW)


def test_of_another_machine_age_alone_tells(monkeypatch: pytest.MonkeyPatch, dead: int) -> None:
    name = of_process(name_of(NOW), dead)
    monkeypatch.setattr(names, "_machine", lambda: "0" * 8)
    assert not is_left_behind(name, NOW + OLD_MS)
    assert is_left_behind(name, NOW + OLD_MS + 1)


def test_two_rounds_of_a_process_have_two_names() -> None:
    assert name_of(NOW) != name_of(NOW + 1)


@pytest.mark.parametrize(
    "name",
    ["orders", "pko-smoke-", "pko-smoke-test", "my-pko-smoke-20261123-145300123-00000000-1",
     "pko-smoke-20261123-145300123-00000000-1-more", "pko-smoke-20269923-145300123-00000000-1"],
)  # fmt: skip
def test_what_has_another_name_is_never_touched(name: str) -> None:
    assert not is_left_behind(name, 2 * NOW)
