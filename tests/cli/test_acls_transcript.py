"""kafka-acls: every command line of the transcript gives the same blocks through pko."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.golden.transcripts import (
    Entry,
    Said,
    differences,
    entries,
    other_error,
    replay,
)
from tests.support.process.apache import ApacheBroker, apache_alone

pytestmark = [pytest.mark.java, pytest.mark.slow]
ADMIN = {
    "authorizer.class.name": "kafka.security.authorizer.AclAuthorizer",
    "super.users": "User:ANONYMOUS",
}
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


def test_every_command_line_answers_like_apache_kafka(
    guarded: ApacheBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PKO_BOOTSTRAP_SERVER", raising=False)
    swap = {"zookeeper.connect=127.0.0.1:23183": f"zookeeper.connect={guarded.zookeeper.connect}"}
    every = list(entries("acls"))
    assert len(every) == 62
    wrong: list[str] = []
    for entry in every:
        wrong += compare(entry, replay(entry, guarded.bootstrap, swap))
    assert not wrong, "\n".join(wrong)
