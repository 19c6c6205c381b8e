"""kafka-transactions: every command line of the transcript gives the same table through pko.

Numbers differ from run to run; one broker stands for the three of the transcript.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Producer

from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.record import Record
from tests.cli.conftest import single_broker
from tests.conftest import Broker
from tests.support.golden.transcripts import (
    Entry,
    Said,
    differences,
    entries,
    first_error,
    replay,
)
from tests.support.golden.transcripts import run_patiently as run
from tests.support.wire import raw

pytestmark = [pytest.mark.java, pytest.mark.slow]
HANGING = 424242
PRODUCE_HEAD = 4 + 8 + 5 + 2
"""Length, header with client id "raw" and no transactional id of ``raw.produce``'s frames."""


SETTINGS = {"transaction.partition.verification.enable": "false"}


@pytest.fixture(scope="module", params=["pko", "apache"])
def unguarded(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Broker]:
    """A broker that takes transactional batches without a transaction."""
    with single_broker(request.param, tmp_path_factory.mktemp("transactions"), SETTINGS) as broker:
        yield broker


class Play:
    """Does what the transcript's steps say."""

    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap
        self.open: Producer | None = None
        for topic, partitions in (("visits", 2), ("metrics", 1)):
            words = ("--create", "--topic", topic, "--partitions", str(partitions))
            assert run("kafka-topics", "--bootstrap-server", bootstrap, *words).code == 0

    def step(self, text: str) -> None:
        if text.startswith("stock-client-tx"):
            self.producer("stock-client-tx", (0,)).commit_transaction()
            self.producer("sessions-client-tx", (0, 1)).abort_transaction()
            self.open = self.producer("visits-client-open", (0, 1))
        else:
            self.write_hanging()

    def producer(self, name: str, partitions: tuple[int, ...]) -> Producer:
        settings = {"transactional.id": name, "transaction.timeout.ms": 600000}
        producer = Producer({"bootstrap.servers": self.bootstrap, **settings})
        producer.init_transactions(120)
        producer.begin_transaction()
        for partition in partitions:
            for _ in range(3):
                producer.produce("visits", b"v", partition=partition)
        assert producer.flush(120) == 0
        return producer

    def write_hanging(self) -> None:
        """A transactional batch, an hour old, of a producer that no coordinator knows."""
        stamp = int(time.time() * 1000) - 3_600_000
        batch = build_batch([Record(0, stamp, None, b"v", [])], producer_id=HANGING,
                            producer_epoch=0, base_sequence=0, transactional=True)  # fmt: skip
        with raw.Connection(self.bootstrap) as connection:
            body = raw.string("nobody") + raw.produce("metrics", bytes(batch))[PRODUCE_HEAD:]
            answer = connection.ask(raw.request(raw.PRODUCE, 7, body))
        assert raw.produced(answer) == (0, 0)


def text(said: str) -> list[str]:
    """Lines in any order, without numbers that vary and without folding."""
    said = re.sub(r"(?<=[\s`])(?!424242)\d+(?=[\s`])", "N", said)
    said = re.sub(r"Call\(callName=describeProducers.*after N", "CALL", said)
    return sorted(" ".join(line.split()) for line in said.splitlines())


def skipped(entry: Entry) -> bool:
    """Entries about other brokers, and one that never ended."""
    other = "--broker-id" in entry.argv and entry.argv[-1] != "0"
    return entry.code is None or other


def compare(entry: Entry, said: Said) -> list[str]:
    wanted, got = text(entry.stdout), text(said.stdout)
    if "--version" in entry.argv:
        wanted, got = wanted[:1], [f"{line} (Commit:f745dfdcee2b9851)" for line in got]
    found = differences(entry, said, wanted, got)
    if entry.code and "client.properties" not in entry.argv:
        wanted, got = [first_error(entry.stderr)], [first_error(said.stderr)]
        if entry.stderr.startswith("usage"):
            wanted, got = [" ".join(entry.stderr.split())], [" ".join(said.stderr.split())]
        if text(wanted[0]) != text(got[0]) and "CALL" not in text(wanted[0])[0]:
            found.append(f"{entry}:\n  got  {got}\n  want {wanted}")
    return found


def answered(entry: Entry, bootstrap: str) -> list[str]:
    """What is wrong with the answer. One command would wait for a minute: it is given less, and
    more when a machine that stood still had no time for what comes before the waiting."""
    if entry.argv[-4:] != ["--topic", "nope", "--partition", "0"]:
        return compare(entry, replay(entry, bootstrap))
    entry.argv[3:3] = ["--command-config", "client.properties"]
    for ms in (2500, 10_000, 60_000):
        times = f"request.timeout.ms={ms * 3 // 5}\ndefault.api.timeout.ms={ms}\nretries=1\n"
        Path("client.properties").write_text(times)
        wrong = compare(entry, replay(entry, bootstrap))
        if not wrong:
            break
    return wrong


def test_every_command_line_answers_like_kafkas_tool(
    unguarded: Broker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    play = Play(unguarded.bootstrap)
    wrong: list[str] = []
    for entry in entries("transactions"):
        if entry.step:
            play.step(entry.step)
        elif not skipped(entry):
            wrong += answered(entry, unguarded.bootstrap)
    assert not wrong, "\n".join(wrong)
