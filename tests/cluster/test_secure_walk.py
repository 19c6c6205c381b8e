"""docs/security.md, command by command, while a producer and a consumer go on."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import confluent_kafka as ck
import pytest

from pykafka_ops.local import children
from tests.support.process.apache import ZooKeeper
from tests.support.waiting import PATIENCE, free_port, wait_for

pytestmark = [pytest.mark.java, pytest.mark.slow]

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "security.md"
PORTS: Final = [f"{n}{port}" for n in (1, 2, 3) for port in ("9092", "9093")]
BLOCK: Final = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
MOVED: Final = 4
"""The section after which clients use the second listener."""


def sections() -> list[str]:
    """The commands of each section, from 0 on."""
    parts = re.split(r"^## \d+\. .*$", PAGE.read_text(), flags=re.MULTILINE)[1:]
    return ["".join(BLOCK.findall(part)) for part in parts]


class Walk:
    """A shell in which the page is run, with ports that are free."""

    def __init__(self, directory: Path, zookeeper: ZooKeeper) -> None:
        self.directory = directory
        self.ports = {port: str(free_port()) for port in PORTS}
        self._zookeeper = zookeeper
        binaries = Path(sys.executable).parent
        env = {k: v for k, v in os.environ.items() if not k.startswith(("PKO_", "KAFKA_"))}
        env["PATH"] = f"{binaries}:{env['PATH']}"
        self.shell = subprocess.Popen(
            ["bash", "-eu"],
            cwd=directory,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.said = ""

    def run(self, commands: str) -> str:
        """Run the commands of a section; what they print. AssertionError if one fails."""
        for port, real in self.ports.items():
            commands = commands.replace(port, real).replace("${n}" + port[1:], f"$(p{port[1:]} $n)")
        commands = commands.replace("localhost:2181", self._zookeeper.connect)
        assert self.shell.stdin is not None
        assert self.shell.stdout is not None
        self.shell.stdin.write(f"{commands}\necho END-OF-SECTION\n")
        self.shell.stdin.flush()
        lines = []
        for line in self.shell.stdout:
            if line == "END-OF-SECTION\n":
                self.said = "".join(lines)
                return self.said
            lines.append(line)
        raise AssertionError(f"the shell ended: {''.join(lines)[-3000:]}")

    def define_ports(self) -> None:
        """``p9092 N`` prints the port of broker N: the page has N as its first digit."""
        for kind in ("9092", "9093"):
            cases = " ".join(f"{n}) echo {self.ports[f'{n}{kind}']};;" for n in (1, 2, 3))
            self.run(f"p{kind}() {{ case $1 in {cases} esac; }}")

    def bootstrap(self, kind: str) -> str:
        return ",".join(f"localhost:{self.ports[f'{n}{kind}']}" for n in (1, 2, 3))

    def close(self) -> None:
        self.shell.kill()
        for path in self.directory.glob("broker-*/data/broker.pid"):
            found = children.read_record(path) or {}
            if isinstance(found.get("pid"), int):
                subprocess.run(["kill", "-9", str(found["pid"])], check=False)


@pytest.fixture
def walk(tmp_path: Path) -> Iterator[Walk]:
    zookeeper = ZooKeeper(tmp_path / "zookeeper").start()
    made = Walk(tmp_path, zookeeper)
    try:
        yield made
    finally:
        made.close()
        zookeeper.close()


class Writer:
    """Writes numbers to ``orders``, each acknowledged by all, until it is stopped."""

    def __init__(self, config: dict[str, str], first: int) -> None:
        self.acknowledged: list[int] = []
        self.failed: list[str] = []
        self.next = first
        self._producer = ck.Producer({**config, "acks": "all", "enable.idempotence": True})
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._write)
        self._thread.start()

    def _write(self) -> None:
        while not self._stop.wait(0.01):
            number = self.next
            self.next += 1

            def done(error: object, message: object, number: int = number) -> None:
                if error is None:
                    self.acknowledged.append(number)
                else:
                    self.failed.append(str(error))

            self._producer.produce("orders", str(number), on_delivery=done)
            self._producer.poll(0)

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()
        assert self._producer.flush(PATIENCE) == 0
        assert not self.failed


def read_all(config: dict[str, str]) -> list[int]:
    """The numbers in ``orders``."""
    settings = {**config, "group.id": "app", "auto.offset.reset": "earliest"}
    consumer = ck.Consumer({**settings, "enable.partition.eof": True})
    consumer.subscribe(["orders"])
    found: list[int] = []
    ended: set[int] = set()

    def read() -> bool:
        message = consumer.poll(1.0)
        if message is None:
            return False
        if message.error() is None:
            value = message.value()
            assert value is not None
            found.append(int(value))
        elif message.error().code() == ck.KafkaError._PARTITION_EOF:
            ended.add(message.partition())
        return len(ended) == 3

    wait_for(read, what="the end of three partitions")
    consumer.close()
    return found


def test_a_cluster_is_made_secure_while_clients_go_on(walk: Walk) -> None:
    steps = sections()
    assert len(steps) == 8
    walk.define_ports()
    walk.run(steps[0])
    open_ = {"bootstrap.servers": walk.bootstrap("9092")}
    writer = Writer(open_, 0)
    for step in steps[1:MOVED]:
        walk.run(step)
    writer.stop()
    acknowledged = writer.acknowledged
    secure = {
        "bootstrap.servers": walk.bootstrap("9093"),
        "security.protocol": "SASL_SSL",
        "ssl.ca.location": str(walk.directory / "tls" / "ca.pem"),
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.username": "app",
        "sasl.password": (walk.directory / "app.password").read_text().strip(),
    }
    writer = Writer(secure, writer.next)
    for step in steps[MOVED:]:
        walk.run(step)
    assert "app may not delete orders" in walk.said
    assert "3 records" in walk.said
    writer.stop()
    acknowledged += writer.acknowledged
    found = read_all(secure)
    assert sorted(found) == sorted([*acknowledged, 1, 2, 3]), "each once"
    with pytest.raises(ck.KafkaException):
        ck.Consumer({**open_, "group.id": "x"}).list_topics(timeout=3)
    wrong = {**secure, "sasl.password": "wrong", "group.id": "x"}
    with pytest.raises(ck.KafkaException):
        ck.Consumer(wrong).list_topics(timeout=3)
