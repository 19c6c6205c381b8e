"""The drill of docs/backup.md, line by line: a cluster is lost, and comes back."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from tests.support.process.broker import BrokerProcess
from tests.support.process.commands import Said, pko
from tests.support.waiting import PATIENCE, free_port

pytestmark = pytest.mark.slow
PAGE = Path(__file__).resolve().parents[2] / "docs" / "backup.md"


def steps(part: int, changed: dict[str, str]) -> list[list[str]]:
    """The commands before, or behind, the disaster, with other places in them."""
    block = PAGE.read_text().split("## A drill")[1].split("```sh\n")[1].split("```")[0]
    before, behind = block.split("# Now prod is lost.")
    found = []
    for line in (before, behind.partition("\n")[2])[part].splitlines():
        for known, other in changed.items():
            line = line.replace(known, other)
        found.append(shlex.split(line, comments=True)[1:])
    return found


def run(words: list[str]) -> Said:
    said = pko(*words)
    assert said.code == 0, (words, said)
    return said


def test_the_drill(make_broker: Callable[..., BrokerProcess], tmp_path: Path) -> None:
    prod = make_broker("prod").start()
    run(["topics", "create", "orders", "-p", "2", "-b", prod.bootstrap])
    producer = Producer({"bootstrap.servers": prod.bootstrap})
    for n in range(1000):
        producer.produce("orders", b"v%d" % n, b"k%d" % n, n % 2)
    assert producer.flush(PATIENCE) == 0
    consumer = Consumer({"bootstrap.servers": prod.bootstrap, "group.id": "billing"})
    consumer.commit(offsets=[TopicPartition("orders", 0, 120)], asynchronous=False)
    consumer.close()
    port = free_port()
    changed = {
        "/mnt/backup/prod": str(tmp_path / "kept"),
        "/tmp/drill.log": str(tmp_path / "drill.log"),
        "/tmp/drill": str(tmp_path / "drill"),
        "prod:9092": prod.bootstrap,
        "127.0.0.1:9092": f"127.0.0.1:{port}",
    }
    for words in steps(0, changed):
        run(words)
    prod.kill()
    shutil.rmtree(prod.data_dir)
    try:
        answers = [run(words).out for words in steps(1, changed)]
    finally:
        pko("broker", "stop", "--data-dir", str(tmp_path / "drill"))
    assert "compared" in answers[2]
    assert "billing" in answers[3]
    found = re.search(r"billing +Empty +1 +(\d+)", answers[4])
    assert found is not None, answers[4]
    assert 380 <= int(found[1]) < 390, "120 of 500 were read; markers of transactions count, too"
