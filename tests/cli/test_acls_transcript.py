"""kafka-acls: every command line of the transcript gives the same blocks through pko."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import single_broker
from tests.support.golden.transcripts import (
    Entry,
    Said,
    differences,
    entries,
    other_error,
    replay,
)
from tests.support.process.apache import ApacheBroker, apache_alone

pytestmark = [pytest.mark.slow]
ADMIN = {
    "authorizer.class.name": "kafka.security.authorizer.AclAuthorizer",
    "super.users": "User:ANONYMOUS",
}
ZOOKEEPER = "zookeeper.connect=127.0.0.1:23183"
FAILED = "Error while executing ACL command: "


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApacheBroker]:
    """Apache Kafka with an authorizer; we are its super user."""
    with apache_alone(tmp_path_factory.mktemp("guarded"), settings=ADMIN) as broker:
        yield broker


def blocks(text: str) -> list[str]:
    """Lines up to the stack, those of a block and the blocks themselves in order: Kafka's order is
    that of hash codes, which differ from run to run. So do which lines have blanks around them."""
    head, failed, reason = text.partition(FAILED)
    head = head.replace("`\nCurrent", "`\n\nCurrent")
    parts = [[line.strip() for line in part.splitlines()] for part in head.split("\n\n")]
    said = sorted("\n".join([*part[:1], *sorted(part[1:])]) for part in parts if part)
    return [*said, *([failed + reason.splitlines()[0]] if failed else [])]


def compare(entry: Entry, said: Said) -> list[str]:
    """What differs, in words."""
    wanted, got = blocks(entry.stdout), blocks(said.stdout)
    return differences(entry, said, wanted, got) + other_error(entry, said)


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files of entries come into a directory of their own; no variable names a cluster."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PKO_BOOTSTRAP_SERVER", raising=False)


def problems(every: list[Entry], bootstrap: str, swap: dict[str, str]) -> list[str]:
    """What differs when the entries are replayed."""
    wrong: list[str] = []
    for entry in every:
        wrong += compare(entry, replay(entry, bootstrap, swap))
    return wrong


@pytest.mark.java
def test_every_command_line_answers_like_apache_kafka(guarded: ApacheBroker) -> None:
    swap = {ZOOKEEPER: f"zookeeper.connect={guarded.zookeeper.connect}"}
    every = list(entries("acls"))
    assert len(every) == 62
    wrong = problems(every, guarded.bootstrap, swap)
    assert not wrong, "\n".join(wrong)


def test_a_broker_on_its_own_answers_the_same(tmp_path: Path) -> None:
    every = [entry for entry in entries("acls") if ZOOKEEPER not in entry.argv]
    assert len(every) == 57
    with single_broker("pko", tmp_path, ADMIN) as broker:
        wrong = problems(every, broker.bootstrap, {})
    assert not wrong, "\n".join(wrong)
