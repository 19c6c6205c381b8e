"""kafka-topics: every command line of the transcript gives the same rows through pko."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Brokers
from tests.support.golden.transcripts import (
    Entry,
    Said,
    differences,
    entries,
    other_error,
    replay,
    rows,
    topic_ids,
)
from tests.support.golden.transcripts import run_patiently as run

pytestmark = [pytest.mark.java, pytest.mark.slow]
PLACED_AT_RANDOM = frozenset(("parcels", "devices"))
REPORTS = ("under-replicated", "unavailable", "under-min-isr", "at-min-isr")


def act(brokers: Brokers, step: str) -> None:
    """Do what a step of the transcript says."""
    if step.startswith("broker 2 stopped"):
        brokers.stop(2)
        brokers.wait_live(0, 1)
    elif step.startswith("broker 1 stopped"):
        brokers.stop(1)
        brokers.wait_live(0)
    else:
        brokers.all[1].start()
        brokers.all[2].start()
        brokers.wait_live(0, 1, 2)


def compare(entry: Entry, said: Said) -> list[str]:
    """What differs, in words."""
    reports = any(r in word for word in entry.argv for r in REPORTS)
    wanted = rows(entry.stdout, loose=PLACED_AT_RANDOM, reports=reports)
    got = rows(said.stdout, loose=PLACED_AT_RANDOM, reports=reports)
    return differences(entry, said, wanted, got) + other_error(entry, said)


def test_every_command_line_answers_like_apache_kafka(
    target_brokers: Brokers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ids: dict[str, str] = {}
    wrong: list[str] = []
    for entry in entries("topics"):
        if entry.step:
            act(target_brokers, entry.step)
            continue
        if "tickets" in entry.stdout and "tickets" not in ids.values():
            create = ("--create", "--topic", "tickets", "--replica-assignment", "0,1,2")
            run("kafka-topics", "--bootstrap-server", target_brokers.bootstrap, *create)
            ids["-"] = "tickets"
        said = replay(entry, target_brokers.bootstrap, ids)
        ours = topic_ids(said.stdout)
        ids.update({i: ours[t] for t, i in topic_ids(entry.stdout).items() if t in ours})
        wrong += compare(entry, said)
    assert not wrong, "\n".join(wrong)
