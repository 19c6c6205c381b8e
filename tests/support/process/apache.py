"""The real Apache Kafka (ZooKeeper mode): one ZooKeeper, brokers, and its command-line tools."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from kazoo.client import KazooClient

from pykafka_ops.local.zookeeper import answers
from pykafka_ops.wire.messages.metadata import MetadataRequest
from tests.support.differential.two_brokers import CLOSED, Link
from tests.support.java import java_kit
from tests.support.process.process import Process
from tests.support.process.server import ServerProcess
from tests.support.waiting import PATIENCE, free_port, wait_for, wait_for_port

SERVER_JVM = [
    "-server",
    "-XX:+UseG1GC",
    "-XX:MaxGCPauseMillis=20",
    "-XX:InitiatingHeapOccupancyPercent=35",
    "-XX:+ExplicitGCInvokesConcurrent",
    "-Djava.awt.headless=true",
]
"""Those of Kafka's start scripts."""
TOOL_JVM = ["-Xmx256M", *SERVER_JVM]
BRIEF_TOOL_JVM = ["-Xmx256M", *java_kit.BRIEF_JVM]
TOOLS = {
    "kafka-topics": "org.apache.kafka.tools.TopicCommand",
    "kafka-cluster": "org.apache.kafka.tools.ClusterTool",
    "kafka-configs": "kafka.admin.ConfigCommand",
    "kafka-consumer-groups": "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand",
    "kafka-dump-log": "kafka.tools.DumpLogSegments",
    "kafka-get-offsets": "org.apache.kafka.tools.GetOffsetShell",
    "kafka-leader-election": "org.apache.kafka.tools.LeaderElectionCommand",
    "kafka-log-dirs": "org.apache.kafka.tools.LogDirsCommand",
    "kafka-delete-records": "org.apache.kafka.tools.DeleteRecordsCommand",
    "kafka-reassign-partitions": "org.apache.kafka.tools.reassign.ReassignPartitionsCommand",
    "kafka-acls": "kafka.admin.AclCommand",
    "kafka-delegation-tokens": "org.apache.kafka.tools.DelegationTokenCommand",
    "kafka-jmx": "org.apache.kafka.tools.JmxTool",
    "kafka-features": "org.apache.kafka.tools.FeatureCommand",
    "kafka-broker-api-versions": "kafka.admin.BrokerApiVersionsCommand",
    "kafka-console-producer": "kafka.tools.ConsoleProducer",
    "kafka-console-consumer": "org.apache.kafka.tools.consumer.ConsoleConsumer",
    "kafka-producer-perf-test": "org.apache.kafka.tools.ProducerPerformance",
}
LOG4J = """log4j.rootLogger={level}, out
log4j.appender.out=org.apache.log4j.ConsoleAppender
log4j.appender.out.Target=System.err
log4j.appender.out.layout=org.apache.log4j.PatternLayout
log4j.appender.out.layout.ConversionPattern=[%d] %p %m (%c)%n
"""


def log4j(level: str) -> str:
    """The JVM option that sends log lines from ``level`` on to stderr."""
    java_kit.CACHE.mkdir(parents=True, exist_ok=True)
    path = java_kit.CACHE / f"log4j-{level.lower()}.properties"
    with java_kit.locked("log4j"):
        if not path.exists():
            path.write_text(LOG4J.format(level=level))
    return f"-Dlog4j.configuration=file:{path}"


def tool_argv(name: str, *arguments: str, jvm: Sequence[str] = TOOL_JVM) -> list[str]:
    """How to run one of Kafka's own tools, by default with the JVM flags of its start script."""
    classpath = java_kit.server_classpath()
    return ["java", *jvm, log4j("WARN"), "-cp", classpath, TOOLS[name], *arguments]


def run_tool(
    name: str, *arguments: str, text: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Run one of Kafka's own tools to its end, in a JVM of its own; ``KafkaTools`` is cheaper."""
    argv = tool_argv(name, *arguments, jvm=BRIEF_TOOL_JVM)
    return subprocess.run(argv, input=text or "", capture_output=True, text=True, timeout=300)


class ZooKeeper:
    """The ZooKeeper that Kafka ships, alone."""

    def __init__(self, directory: Path, *, jvm: Sequence[str] = java_kit.BRIEF_JVM) -> None:
        """``jvm``: flags; ``SERVER_JVM`` where speed counts."""
        self.directory = directory
        self.jvm = jvm
        self.port = free_port()
        self.process: Process | None = None

    @property
    def connect(self) -> str:
        return f"127.0.0.1:{self.port}"

    def start(self) -> ZooKeeper:
        self.directory.mkdir(parents=True, exist_ok=True)
        config = self.directory / "zookeeper.properties"
        config.write_text(
            f"dataDir={self.directory / 'zookeeper'}\nclientPort={self.port}\n"
            "clientPortAddress=127.0.0.1\nmaxClientCnxns=0\nadmin.enableServer=false\ntickTime=500\n"
            "maxSessionTimeout=60000\n"
        )
        # No power is cut here, and a write must not wait for a busy disk.
        argv = ["java", "-Xmx256M", *self.jvm, "-Dzookeeper.forceSync=no", log4j("WARN")]
        argv += ["-cp", java_kit.server_classpath()]
        argv += ["org.apache.zookeeper.server.quorum.QuorumPeerMain", str(config)]
        self.process = Process(argv, self.directory / "zookeeper.log")
        process = self.process
        wait_for_port("127.0.0.1", self.port, alive=process.alive, said=process.log_tail)
        wait_for(lambda: answers("127.0.0.1", self.port), what="ZooKeeper to serve")
        return self

    def close(self) -> None:
        if self.process is not None and self.process.alive():
            self.process.kill()


class ApacheBroker(ServerProcess):
    """One Apache Kafka broker; same verbs as ``BrokerProcess``."""

    kind = "apache"

    def __init__(
        self,
        data_dir: Path,
        zookeeper: ZooKeeper,
        overrides: Mapping[str, object] | None = None,
        *,
        broker_id: int = 0,
        heap: str = "512M",
        jvm: Sequence[str] = java_kit.BRIEF_JVM,
    ) -> None:
        """``jvm``: flags; ``SERVER_JVM`` where speed counts."""
        super().__init__(data_dir, overrides)
        self.jvm = jvm
        self.zookeeper = zookeeper
        self.broker_id = broker_id
        self.heap = heap
        self.port = free_port()

    def _config(self) -> Path:
        properties: dict[str, object] = {
            "broker.id": self.broker_id,
            "listeners": f"PLAINTEXT://{self.bootstrap}",
            "log.dirs": self.data_dir,
            "zookeeper.connect": self.zookeeper.connect,
            "zookeeper.session.timeout.ms": 6000,
            "offsets.topic.replication.factor": 1,
            "transaction.state.log.replication.factor": 1,
            "transaction.state.log.min.isr": 1,
            "group.initial.rebalance.delay.ms": 0,
            **self.overrides,
        }
        path = self.data_dir.parent / f"{self.data_dir.name}.properties"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{key}={value}\n" for key, value in properties.items()))
        return path

    def argv(self) -> list[str]:
        """How to run it."""
        argv = ["java", f"-Xmx{self.heap}", f"-Xms{self.heap}", *self.jvm, log4j("INFO")]
        return [*argv, "-cp", java_kit.server_classpath(), "kafka.Kafka", str(self._config())]

    def start(self, seconds: float = PATIENCE) -> ApacheBroker:
        """Start it and wait for its port, then until it knows who is the controller."""
        self.start_to_port(seconds)
        self.wait_controller(seconds)
        return self

    def start_to_port(self, seconds: float = PATIENCE) -> None:
        """Start it and wait for its port only."""
        self.launch()
        self.wait_port(seconds)

    def wait_port(self, seconds: float = PATIENCE) -> None:
        """Until it listens."""
        running = self.running
        wait_for_port(
            "127.0.0.1", self.port, alive=running.alive, said=running.log_tail, seconds=seconds
        )

    def wait_controller(self, seconds: float = PATIENCE) -> None:
        """Before it knows one it creates no topics, and clients wait for long to ask again."""
        link = Link(self.bootstrap)
        try:
            wait_for(lambda: _has_controller(link), seconds=seconds, what="a controller")
        finally:
            link.close()

    def kill(self) -> None:
        """kill -9, and take what its session holds in ZooKeeper, as the session's end would some
        seconds later: it cannot register again before."""
        self.running.kill()
        client = KazooClient(self.zookeeper.connect)
        client.start()
        try:
            seat = client.exists(f"/brokers/ids/{self.broker_id}")
            controller = client.exists("/controller")
            if seat and controller and controller.owner_session_id == seat.owner_session_id:
                client.delete("/controller")
            if seat:
                client.delete(f"/brokers/ids/{self.broker_id}")
        finally:
            client.stop()
            client.close()


def _has_controller(link: Link) -> bool:
    answer = link.ask(MetadataRequest(topics=[]), 1)
    return answer != CLOSED and bool(answer.controller_id >= 0)


@contextlib.contextmanager
def apache_alone(
    directory: Path, data: str = "data", settings: Mapping[str, object] | None = None
) -> Iterator[ApacheBroker]:
    """A fresh broker on a fresh ZooKeeper, both in ``directory``."""
    zookeeper = ZooKeeper(directory).start()
    broker = ApacheBroker(directory / data, zookeeper, settings)
    try:
        yield broker.start()
    finally:
        broker.close()
        zookeeper.close()
