"""The two brokers under measurement, behind the same verbs."""

from __future__ import annotations

import contextlib
import shutil
import socket
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from scripts.benchmarks.results import APACHE, OURS
from tests.support.java import java_kit
from tests.support.process.apache import SERVER_JVM, ApacheBroker, ZooKeeper
from tests.support.process.broker import BrokerProcess
from tests.support.process.process import Process
from tests.support.waiting import free_port, wait_for

Broker = BrokerProcess | ApacheBroker


class Target:
    """One broker on a fresh directory; may be stopped, killed and started again."""

    def __init__(
        self,
        name: str,
        directory: Path,
        zookeeper: ZooKeeper | None,
        more: Mapping[str, object] | None = None,
    ) -> None:
        self.name = name
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        self.directory = directory
        # both may write far into the past and keep what they have while we measure
        settings = {"log.retention.hours": -1, **(more or {})}
        self.broker: Broker
        if name == OURS:
            self.broker = BrokerProcess(directory / "data", settings)
            self.broker.port = free_port()
        else:
            assert zookeeper is not None
            self.broker = ApacheBroker(
                directory / "data", zookeeper, settings, heap="1G", jvm=SERVER_JVM
            )

    @property
    def bootstrap(self) -> str:
        return self.broker.bootstrap

    @property
    def process(self) -> Process:
        return self.broker.running

    @property
    def processes(self) -> list[Process]:
        return [self.process]

    def start(self, seconds: float = 300.0) -> float:
        """Start; seconds from the start of the process until its port accepts."""
        begin = time.monotonic()
        if isinstance(self.broker, BrokerProcess):
            self.broker.start(seconds)
            return time.monotonic() - begin
        self.broker.start_to_port(seconds)
        taken = time.monotonic() - begin
        self.broker.wait_controller(seconds)
        return taken

    def start_until_port(self, seconds: float = 300.0) -> float:
        """As ``start``, with the port tried every millisecond for both brokers alike."""
        argv = self.broker.argv()
        begin = time.monotonic()
        self.broker.process = Process(argv, self.broker.log)
        while time.monotonic() - begin < seconds:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.broker.port)) == 0:
                    return time.monotonic() - begin
            assert self.process.alive(), self.process.log_tail()
            time.sleep(0.001)
        raise AssertionError("it does not listen")

    def stop(self) -> float:
        """Clean stop; the seconds it took."""
        begin = time.monotonic()
        self.broker.stop(300)
        return time.monotonic() - begin

    def kill(self) -> None:
        """kill -9; it can be started again at once."""
        self.broker.kill()

    def close(self) -> None:
        self.broker.close()
        shutil.rmtree(self.directory, ignore_errors=True)


@contextlib.contextmanager
def targets(
    names: list[str], work: Path, label: str, more: Mapping[str, object] | None = None
) -> Iterator[list[Target]]:
    """A stopped broker each, on directories of their own; all ended and removed afterwards.

    ``more`` are settings of both.
    """
    zookeeper: ZooKeeper | None = None
    made: list[Target] = []
    try:
        if APACHE in names:
            shutil.rmtree(work / f"zookeeper-{label}", ignore_errors=True)
            zookeeper = ZooKeeper(work / f"zookeeper-{label}", jvm=SERVER_JVM).start()
        made = [Target(name, work / f"{name}-{label}", zookeeper, more) for name in names]
        yield made
    finally:
        for target in made:
            target.close()
        if zookeeper is not None:
            zookeeper.close()
            shutil.rmtree(zookeeper.directory, ignore_errors=True)


def usable(names: list[str]) -> tuple[list[str], list[str]]:
    """The targets that can run here, and notes on those that cannot."""
    if APACHE in names:
        try:
            java_kit.server_classpath()
        except java_kit.JavaMissingError as error:
            rest = [n for n in names if n != APACHE]
            return rest, [f"without Apache Kafka: {str(error).splitlines()[0]}"]
    return names, []


def wait_idle(target: Target, seconds: float = 20.0) -> None:
    """Until the broker uses next to no CPU, so that one row does not pay for the last."""

    def quiet() -> bool:
        before = target.process.cpu_seconds()
        time.sleep(0.3)
        return target.process.cpu_seconds() - before < 0.03

    with contextlib.suppress(AssertionError):
        wait_for(quiet, seconds=seconds, what="idle")
