"""Rows about security: records by TLS, new connections, other clients meanwhile, access rules."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from scripts.benchmarks.context import WORK, Bench, delete_topic, load, new_topic
from scripts.benchmarks.loads import CLIENT
from scripts.benchmarks.results import OURS, Row
from scripts.benchmarks.rights import rights
from scripts.benchmarks.targets import Target, targets, wait_idle
from tests.support.process.broker import BrokerProcess
from tests.support.process.certificates import PASSWORD, Authority
from tests.support.process.logins import login_settings
from tests.support.process.process import Process
from tests.support.waiting import free_port

MB = 1e6
SIZE = 1000
RECORDS = 400_000, 40_000
PRODUCE = Row("produce 1,000 B by TLS, acks=1, 1 partition", "MB/s", 1.0, True, 0)
CONSUME = Row("consume 1,000 B by TLS, 1 partition", "MB/s", 1.0, True, 0)
CPU = Row("broker CPU for both, by TLS", "s", 0.8)
CONNECT = Row("new TLS connections, 4 clients", "1/s", 0.7, True, 0)
BESIDE = Row("p99 of 1 record beside 500 TLS handshakes at once", "ms", 1.0)
FAILURES = Row("p99 of 1 record beside 10,000 logins that fail", "ms", 1.0)
HANDSHAKES = 500
LOGINS = 10_000, 1_000


class ByTls:
    """A target as clients see it that come by TLS; ``logins`` is where others log in."""

    def __init__(self, target: Target, authority: Authority) -> None:
        self.name = target.name
        port, login_port = free_port(), free_port()
        _listen(target, {"SSL": port, "LOGIN": login_port})
        self.bootstrap = f"127.0.0.1:{port}"
        self.logins = ByLogin(target, f"127.0.0.1:{login_port}")
        more = {"security.protocol": "SSL", "ssl.ca.location": str(authority.ca)}
        self.client_env = {CLIENT: json.dumps(more)}
        self._target = target

    @property
    def process(self) -> Process:
        return self._target.process

    @property
    def processes(self) -> list[Process]:
        return self._target.processes


class ByLogin(NamedTuple):
    """A target as clients see it that log in."""

    target: Target
    bootstrap: str

    @property
    def name(self) -> str:
        return self.target.name

    @property
    def process(self) -> Process:
        return self.target.process


def security(bench: Bench) -> None:
    """Both brokers with listeners for TLS and logins beside the plain one; then ours with access
    rules."""
    directory = WORK / "certificates"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    authority = Authority(directory)
    with targets(bench.names, WORK, "tls", _settings(authority, directory)) as pair:
        ways = {target: ByTls(target, authority) for target in pair}
        for target in pair:
            target.start()
            _records(bench, target, ways[target], warm_up=True)
        for _ in range(bench.repeats):
            for target in pair:
                _records(bench, target, ways[target])
        _connections(bench, ways)
        _beside(bench, ways)
        _beside_failures(bench, ways)
    if OURS in bench.names:
        rights(bench)


def _settings(authority: Authority, directory: Path) -> dict[str, object]:
    store = authority.pkcs12(authority.issue("broker"))
    return {
        "ssl.keystore.type": "PKCS12",
        "ssl.keystore.location": directory / store.name,
        "ssl.keystore.password": PASSWORD,
        "ssl.key.password": PASSWORD,
        **login_settings(connection_failed_authentication_delay_ms="0"),
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,SSL:SSL,LOGIN:SASL_PLAINTEXT",
    }


def _listen(target: Target, ports: Mapping[str, int]) -> None:
    """Give a target more listeners."""
    broker = target.broker
    also = [f"{name}://127.0.0.1:{port}" for name, port in ports.items()]
    if isinstance(broker, BrokerProcess):
        broker.also = also
    else:
        broker.overrides["listeners"] = ",".join((f"PLAINTEXT://{broker.bootstrap}", *also))


def _records(bench: Bench, target: Target, way: ByTls, *, warm_up: bool = False) -> None:
    count = bench.scaled(*RECORDS) // (3 if warm_up else 1)
    topic = new_topic(target)
    wait_idle(target)
    cpu = target.process.cpu_seconds()
    produced = load("produce", way, topic, count=count, size=SIZE)
    consumed = load("consume", way, topic, count=count)
    cpu = target.process.cpu_seconds() - cpu
    delete_topic(target, topic)
    if not warm_up:
        bench.add(PRODUCE, target, produced["bytes"] / MB / produced["seconds"])
        bench.add(CONSUME, target, consumed["count"] * SIZE / MB / consumed["seconds"])
        bench.add(CPU, target, cpu)


def _connections(bench: Bench, ways: dict[Target, ByTls]) -> None:
    for _ in range(bench.repeats):
        for target, way in ways.items():
            wait_idle(target)
            found = load(
                "connections", way, "-", "security_loads", seconds=bench.scaled(5, 2), clients=4
            )
            bench.add(CONNECT, target, found["count"] / found["seconds"])


def _beside(bench: Bench, ways: dict[Target, ByTls]) -> None:
    topics = {target: new_topic(target) for target in ways}
    for _ in range(bench.repeats):
        for target, way in ways.items():
            wait_idle(target)
            plain = int(target.bootstrap.rpartition(":")[2])
            options = {"plain": plain, "handshakes": HANDSHAKES}
            found = load("beside", way, topics[target], "security_loads", **options)
            bench.add(BESIDE, target, found["p99"])


def _beside_failures(bench: Bench, ways: dict[Target, ByTls]) -> None:
    topics = {target: new_topic(target) for target in ways}
    for _ in range(bench.repeats):
        for target, way in ways.items():
            wait_idle(target)
            plain = int(target.bootstrap.rpartition(":")[2])
            options = {"plain": plain, "failures": bench.scaled(*LOGINS)}
            where, topic = way.logins, topics[target]
            found = load("beside_failures", where, topic, "security_loads", **options)
            bench.add(FAILURES, target, found["p99"])
