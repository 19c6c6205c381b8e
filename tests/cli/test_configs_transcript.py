"""kafka-configs: every command line of the transcript gives the same lines through pko."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Brokers, single_broker
from tests.support.cluster.apache_cluster import OurBrokers
from tests.support.golden.transcripts import (
    AS_BEFORE_3,
    Entry,
    Said,
    entries,
    first_error,
    replay,
)
from tests.support.golden.transcripts import run_patiently as run
from tests.support.process.apache import ZooKeeper

pytestmark = [pytest.mark.slow]
TOPICS = {
    "basket": ["--config", "cleanup.policy=compact,delete", "--config", "retention.ms=86400000"],
    "quotes.eu": ["--config", "min.insync.replicas=2", "--config", "segment.bytes=1048576"],
    **{name: [] for name in ("albums", "tickets", "invoices", "devices", "fares", "refunds")},
}
SECRET = re.compile(r"(salt|stored_key|server_key)=[A-Za-z0-9+/=]+")
QUOTAS = re.compile(r"(Quota configs for .* are )(.*)")
OF_A_CLUSTER = re.compile(r"--zookeeper|--entity-name 1$|--describe --entity-type brokers$")
"""What a broker on its own cannot answer like three: about ZooKeeper, or the other brokers."""
STATIC = re.compile(r"  (\S+)=.*STATIC_BROKER_CONFIG.*")


def masked(text: str, entry: Entry) -> list[str]:
    """Lines as a sorted list, without what differs between two equal clusters."""
    if "broker-logger" in " ".join(entry.argv):
        return text.splitlines()[:1]  # which classes have logged differs from run to run
    found = []
    for line in text.splitlines():
        line = SECRET.sub(r"\1=X", line)
        quotas = QUOTAS.fullmatch(line)
        if quotas:
            line = quotas[1] + ", ".join(sorted(quotas[2].split(", ")))
        if not STATIC.fullmatch(line):
            found.append(line)
    return sorted(found)


def compare(entry: Entry, said: Said, static: set[str], swap: dict[str, str]) -> list[str]:
    """What differs, in words. ``static`` settings stand in the file of one cluster only."""

    def here(text: str) -> str:
        for old, new in swap.items():
            text = text.replace(old, new)
        return text

    def lines(text: str) -> list[str]:
        every = masked(text, entry)
        return [x for x in every if x.partition("=")[0].strip() not in static]

    found = []
    if said.code != entry.code:
        found.append(f"{entry}: exit {said.code}, not {entry.code}: {said.stderr}{said.stdout}")
    if lines(said.stdout) != lines(here(entry.stdout)):
        wanted, got = set(lines(here(entry.stdout))), set(lines(said.stdout))
        found.append(f"{entry}:\n  more {sorted(got - wanted)}\n  less {sorted(wanted - got)}")
    if first_error(said.stderr) != here(first_error(entry.stderr)):
        found.append(f"{entry}: {said.stderr!r}, not {first_error(entry.stderr)!r}")
    return found


@pytest.fixture(scope="module", params=["pko", "apache"])
def brokers(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Brokers]:
    """Three fresh brokers."""
    directory = tmp_path_factory.mktemp("three")
    made = OurBrokers if request.param == "pko" else Brokers
    started = made(directory, ZooKeeper(directory).start())
    try:
        yield started.start()
    finally:
        started.close()


def problems(bootstrap: str, every: list[Entry], placed: str, swap: dict[str, str]) -> list[str]:
    """What differs when the entries are replayed, on topics ``placed`` like that."""
    for topic, settings in TOPICS.items():
        create = ("--create", "--topic", topic, "--replica-assignment", placed, *settings)
        said = run("kafka-topics", "--bootstrap-server", bootstrap, *create)
        assert said.code == 0, said
    swap = {"127.0.0.1:23100": bootstrap, **swap}
    texts = [entry.stdout for entry in every]
    describe = ("--describe", "--entity-type", "brokers", "--entity-name", "0", "--all")
    texts.append(run("kafka-configs", "--bootstrap-server", bootstrap, *describe).stdout)
    static = {m[1] for text in texts for m in map(STATIC.fullmatch, text.splitlines()) if m}
    wrong: list[str] = []
    for entry in every:
        wrong += compare(entry, replay(entry, bootstrap, swap), static, swap)
    return wrong


@pytest.mark.java
def test_every_command_line_answers_like_apache_kafka(
    brokers: Brokers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    swap = {"127.0.0.1:23183": brokers.zookeeper.connect}
    every = [entry for entry in entries("configs") if not AS_BEFORE_3.search(str(entry))]
    assert len(every) > 140
    wrong = problems(brokers.bootstrap, every, "0:1:2,1:2:0", swap)
    assert not wrong, "\n".join(wrong)


def test_a_broker_on_its_own_answers_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    every = [entry for entry in entries("configs") if not OF_A_CLUSTER.search(str(entry))]
    assert len(every) > 120
    with single_broker("pko", tmp_path, {}) as broker:
        wrong = problems(broker.bootstrap, every, "0,0", {})
    assert not wrong, "\n".join(wrong)
