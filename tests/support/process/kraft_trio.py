"""Three nodes of Apache Kafka 4 without ZooKeeper, each a broker and a controller."""

from __future__ import annotations

from pathlib import Path

from tests.support.process.apache_kraft import KraftBroker

NODES = range(3)
SETTINGS: dict[str, object] = {
    "default.replication.factor": 3,
    "min.insync.replicas": 2,
    "delegation.token.secret.key": "secret",
    "offsets.topic.replication.factor": 3,
    "broker.session.timeout.ms": 3000,
    "broker.heartbeat.interval.ms": 500,
    "controller.quorum.election.timeout.ms": 500,
    "controller.quorum.fetch.timeout.ms": 1000,
}


class KraftTrio:
    """Nodes 0, 1 and 2."""

    def __init__(self, directory: Path, version: str) -> None:
        self.nodes = [KraftBroker(directory / f"node-{n}", version=version) for n in NODES]
        voters = ",".join(f"{n}@127.0.0.1:{self.nodes[n].controller_port}" for n in NODES)
        for n, node in enumerate(self.nodes):
            node.overrides |= {**SETTINGS, "node.id": n, "controller.quorum.voters": voters}

    def start(self) -> KraftTrio:
        """Start all, and wait until each knows all."""
        for node in self.nodes:
            node.format()
            node.launch()
        for node in self.nodes:
            node.wait(len(self.nodes))
        return self

    def bootstrap(self, *nodes: int) -> str:
        """The addresses of these (none given: of all), the first first."""
        return ",".join(self.nodes[n].bootstrap for n in nodes or NODES)

    def logins(self, *nodes: int) -> str:
        """Where one has to log in."""
        return ",".join(self.nodes[n].login for n in nodes or NODES)

    def close(self) -> None:
        """End them whatever their state."""
        for node in self.nodes:
            node.close()
