"""A running MirrorMaker 2 of Apache Kafka, dedicated mode."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.support.java import java_kit
from tests.support.process.apache import log4j
from tests.support.process.process import Process

MAIN = "org.apache.kafka.connect.mirror.MirrorMaker"


class MirrorMaker:
    """From a to b; ``settings`` are added to its properties."""

    def __init__(
        self, directory: Path, a: str, b: str, settings: Mapping[str, object] | None = None
    ) -> None:
        self.directory = directory
        self.properties: dict[str, object] = {
            "clusters": "a, b",
            "a.bootstrap.servers": a,
            "b.bootstrap.servers": b,
            "a->b.enabled": "true",
            "b->a.enabled": "false",
            "b->a.emit.heartbeats.enabled": "false",
            "topics": "orders",
            "replication.factor": 1,
            "offset-syncs.topic.replication.factor": 1,
            "heartbeats.topic.replication.factor": 1,
            "checkpoints.topic.replication.factor": 1,
            "config.storage.replication.factor": 1,
            "offset.storage.replication.factor": 1,
            "offset.storage.partitions": 2,
            "status.storage.replication.factor": 1,
            "status.storage.partitions": 1,
            "offset.flush.interval.ms": 1000,
            "refresh.topics.interval.seconds": 1,
            "sync.topic.acls.enabled": "false",
            "tasks.max": 1,
            **(settings or {}),
        }
        self.process: Process | None = None

    def start(self) -> MirrorMaker:
        path = self.directory / "mm2.properties"
        path.write_text("".join(f"{k} = {v}\n" for k, v in self.properties.items()))
        argv = ["java", "-Xmx512M", *java_kit.BRIEF_JVM, log4j("INFO")]
        argv += ["-cp", java_kit.mirror_classpath(), MAIN, str(path)]
        self.process = Process(argv, self.directory / "mirror-maker.log")
        return self

    def alive(self) -> bool:
        return self.process is not None and self.process.alive()

    def stop(self) -> None:
        """As SIGTERM stops it: positions are committed."""
        if self.alive() and self.process is not None:
            self.process.stop()

    def kill(self) -> None:
        """kill -9."""
        if self.alive() and self.process is not None:
            self.process.kill()
