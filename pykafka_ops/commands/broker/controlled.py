"""``pko broker stop --controlled``: stop a broker only if others can lead what it leads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import CheckFailed, UsageError
from pykafka_ops.wire.messages.metadata import MetadataResponse, MetadataResponsePartition

SHOWN = 5
ANYWHERE = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}


class ControlledStop:
    """The look at the cluster before the stop, and the one after it.

    ``found`` is what the broker's pid file says. It is asked on its first PLAINTEXT listener unless
    ``-b`` names the cluster. Raises UsageError where there is no way to ask, ConnectError, and
    CheckFailed with the partitions that would be, or are, without a leader.
    """

    def __init__(self, run: Run, found: Mapping[str, Any]) -> None:
        self.broker = int(found["broker_id"])
        properties = run.properties()
        servers = properties.get("bootstrap.servers") or _listener(found)
        self._cluster: Cluster = Cluster(
            ClientConfig.of({**properties, "bootstrap.servers": servers})
        )

    def check_before(self) -> int:
        """How many partitions others will have to lead."""
        answer = self._cluster.metadata(None)
        led = [(name, p) for name, p in _partitions(answer) if p.leader_id == self.broker]
        alone = [name for name, p in led if not set(p.isr_nodes) - {self.broker}]
        if alone:
            raise CheckFailed(
                f"broker {self.broker} is the only replica in sync of {_some(alone)}: wait for the "
                "others, move them, or stop it without --controlled"
            )
        self._led = {name for name, _ in led}
        return len(led)

    def check_after(self) -> None:
        """That somebody leads each of them."""
        if not self._led:
            return
        answer = self._cluster.metadata(sorted({name.rpartition("-")[0] for name in self._led}))
        left = [
            name
            for name, p in _partitions(answer)
            if name in self._led and p.leader_id in (-1, self.broker)
        ]
        if left:
            raise CheckFailed(f"broker {self.broker} stopped, and nobody leads {_some(left)}")

    def close(self) -> None:
        """Close the connections."""
        self._cluster.close()


def _listener(found: Mapping[str, Any]) -> str:
    """Where the broker listens without TLS and authentication."""
    for text in found.get("listeners", ()):
        name, _, address = str(text).partition("://")
        if name == "PLAINTEXT":
            host, _, port = address.rpartition(":")
            return f"{ANYWHERE.get(host.strip('[]'), host)}:{port}"
    raise UsageError("--controlled asks the cluster first: name it with -b HOST:PORT")


def _partitions(answer: MetadataResponse) -> Iterator[tuple[str, MetadataResponsePartition]]:
    for topic in answer.topics:
        for partition in topic.partitions:
            yield f"{topic.name}-{partition.partition_index}", partition


def _some(names: list[str]) -> str:
    """The first few, and how many more."""
    names = sorted(names)
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
