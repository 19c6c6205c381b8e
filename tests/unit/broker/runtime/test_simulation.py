"""Whole clusters in one process: whatever fails, they keep their word and heal (I1-I11).

In a process with the same string hashes every time, so that a seed that fails does so again.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.simulated.bugs import BUGS, planted

SCRIPT = Path(__file__).parents[4] / "scripts" / "simulate.py"
SECONDS = "6"
pytestmark = pytest.mark.timeout(900)  # a machine may be busy; what takes so long is hung
KEPT = (10009, 10091, 10106, 10158, 10811, 11002, 11108, 12296, 20674, 30280, 50117, 50333)
"""Seeds that found a bug once."""


def simulate(*arguments: str) -> str:
    """What the script says; it must find nothing wrong."""
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--seconds", SECONDS, *arguments],
        capture_output=True,
        text=True,
        timeout=800,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_cluster_keeps_its_word_and_heals() -> None:
    assert "1 seeds, 0 failed" in simulate("--seeds", "1")


@pytest.mark.slow
def test_it_does_whatever_fails() -> None:
    assert "3 seeds, 0 failed" in simulate("--first", "1", "--seeds", "3")


@pytest.mark.slow
def test_what_failed_once_does_not_fail_again() -> None:
    assert f"{len(KEPT)} seeds, 0 failed" in simulate("--these", *map(str, KEPT))


def test_a_bug_is_found() -> None:
    assert ": seed " in simulate("--bugs", "the watermark waits for nobody")


@pytest.mark.parametrize("bug", BUGS)
def test_every_known_bug_can_be_planted(bug: str) -> None:
    before = [getattr(owner, name) for owner, name, _ in BUGS[bug]]
    with planted(bug):
        assert [getattr(owner, name) for owner, name, _ in BUGS[bug]] != before
