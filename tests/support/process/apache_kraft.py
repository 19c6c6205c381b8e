"""One node of Apache Kafka 4 without ZooKeeper, with an authorizer and a port for SASL/PLAIN."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from pykafka_ops.wire.messages.metadata import MetadataRequest
from tests.support.differential.two_brokers import CLOSED, Link
from tests.support.java import java_kit
from tests.support.process.server import ServerProcess
from tests.support.waiting import PATIENCE, free_port, wait_for, wait_for_port

VERSION, NEWEST = "4.3.1", "4.4.0"
CLUSTER_ID = "k4AAAAAAQACAAAAAAAAAAA"
PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule required"
_TOOLS = "org.apache.kafka.tools."
TOOLS_4 = {
    "kafka-acls": f"{_TOOLS}AclCommand",
    "kafka-broker-api-versions": f"{_TOOLS}BrokerApiVersionsCommand",
    "kafka-cluster": f"{_TOOLS}ClusterTool",
    "kafka-configs": "kafka.admin.ConfigCommand",
    "kafka-console-consumer": f"{_TOOLS}consumer.ConsoleConsumer",
    "kafka-console-producer": f"{_TOOLS}ConsoleProducer",
    "kafka-consumer-groups": f"{_TOOLS}consumer.group.ConsumerGroupCommand",
    "kafka-delegation-tokens": f"{_TOOLS}DelegationTokenCommand",
    "kafka-delete-records": f"{_TOOLS}DeleteRecordsCommand",
    "kafka-get-offsets": f"{_TOOLS}GetOffsetShell",
    "kafka-leader-election": f"{_TOOLS}LeaderElectionCommand",
    "kafka-log-dirs": f"{_TOOLS}LogDirsCommand",
    "kafka-metadata-quorum": f"{_TOOLS}MetadataQuorumCommand",
    "kafka-reassign-partitions": f"{_TOOLS}reassign.ReassignPartitionsCommand",
    "kafka-replica-verification": f"{_TOOLS}ReplicaVerificationTool",
    "kafka-share-consumer-perf-test": f"{_TOOLS}ShareConsumerPerformance",
    "kafka-streams-application-reset": f"{_TOOLS}StreamsResetter",
    "kafka-topics": f"{_TOOLS}TopicCommand",
    "kafka-transactions": f"{_TOOLS}TransactionsCommand",
}
"""Kafka's command-line tools by class, as VERSION has them."""
TOOLS_NEWEST = {**TOOLS_4, "kafka-configs": f"{_TOOLS}ConfigCommand"}
USER, PASSWORD = "alice", "w0nder"


class KraftBroker(ServerProcess):
    """Broker and controller in one; who comes without a login may do all, ``USER`` nothing."""

    kind = "apache"

    def __init__(
        self,
        data_dir: Path,
        overrides: Mapping[str, object] | None = None,
        *,
        version: str = VERSION,
    ) -> None:
        super().__init__(data_dir, overrides)
        self.version = version
        self.port, self.login_port, self.controller_port = free_port(), free_port(), free_port()

    @property
    def login(self) -> str:
        """Where one has to log in."""
        return f"127.0.0.1:{self.login_port}"

    def client_properties(self, path: Path) -> Path:
        """A file with what ``USER`` needs."""
        path.write_text(
            "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\n"
            f'sasl.jaas.config={PLAIN} username="{USER}" password="{PASSWORD}";\n'
        )
        return path

    def _config(self) -> Path:
        listeners = {
            "PLAINTEXT": self.port, "SASL_PLAINTEXT": self.login_port,
            "CONTROLLER": self.controller_port,
        }  # fmt: skip
        shown = [f"{name}://127.0.0.1:{port}" for name, port in listeners.items()]
        properties: dict[str, object] = {
            "process.roles": "broker,controller",
            "node.id": 0,
            "controller.quorum.voters": f"0@127.0.0.1:{self.controller_port}",
            "listeners": ",".join(shown),
            "advertised.listeners": ",".join(shown[:2]),
            "listener.security.protocol.map": ",".join(
                f"{n}:{'PLAINTEXT' if n == 'CONTROLLER' else n}" for n in listeners
            ),
            "controller.listener.names": "CONTROLLER",
            "inter.broker.listener.name": "PLAINTEXT",
            "sasl.enabled.mechanisms": "PLAIN",
            "listener.name.sasl_plaintext.plain.sasl.jaas.config": (
                f'{PLAIN} user_{USER}="{PASSWORD}";'
            ),
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users": "User:ANONYMOUS",
            "log.dirs": self.data_dir,
            "offsets.topic.replication.factor": 1,
            "offsets.topic.num.partitions": 4,
            "transaction.state.log.replication.factor": 1,
            "transaction.state.log.num.partitions": 4,
            "transaction.state.log.min.isr": 1,
            "share.coordinator.state.topic.replication.factor": 1,
            "share.coordinator.state.topic.num.partitions": 4,
            "share.coordinator.state.topic.min.isr": 1,
            "group.initial.rebalance.delay.ms": 0,
            **self.overrides,
        }
        path = self.data_dir.parent / f"{self.data_dir.name}.properties"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{key}={value}\n" for key, value in properties.items()))
        return path

    def _java(self, heap: str, main: str, *arguments: str) -> list[str]:
        classpath = java_kit.server_classpath(self.version)
        return ["java", f"-Xmx{heap}", *java_kit.BRIEF_JVM, "-cp", classpath, main, *arguments]

    def tool(self, main: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a tool of its release to the end, by class name (``org.apache.kafka.tools.``)."""
        return subprocess.run(
            self._java("256M", f"org.apache.kafka.tools.{main}", *arguments),
            capture_output=True, text=True, timeout=PATIENCE,
        )  # fmt: skip

    def argv(self) -> list[str]:
        """How to run it."""
        return self._java("512M", "kafka.Kafka", str(self._config()))

    def start(self, seconds: float = PATIENCE) -> KraftBroker:
        """Format its directory where it is new, start it and wait until it knows itself."""
        self.format()
        self.launch()
        self.wait(1, seconds)
        return self

    def format(self) -> None:
        """Format its directory where it is new."""
        if not (self.data_dir / "meta.properties").exists():
            argv = self._java("256M", "kafka.tools.StorageTool", "format", "-t", CLUSTER_ID,
                              "-c", str(self._config()))  # fmt: skip
            subprocess.run(argv, check=True, capture_output=True)

    def wait(self, brokers: int, seconds: float = PATIENCE) -> None:
        """Until it answers, and knows so many brokers."""
        running = self.running
        wait_for_port(
            "127.0.0.1", self.port, alive=running.alive, said=running.log_tail, seconds=seconds
        )
        link = Link(self.bootstrap)
        try:
            known = lambda: _knows(link, brokers)  # noqa: E731
            wait_for(known, seconds=seconds, what=f"{brokers} brokers in its metadata")
        finally:
            link.close()


def _knows(link: Link, brokers: int) -> bool:
    answer = link.ask(MetadataRequest(topics=[]), 1)
    return answer != CLOSED and len(answer.brokers) == brokers
