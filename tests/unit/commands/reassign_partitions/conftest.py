"""A fake cluster of two brokers that moves replicas, and files that say what to move."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.commands.reassign_partitions import moving as plans
from pykafka_ops.commands.reassign_partitions import runner
from pykafka_ops.wire.messages import alter_partition_reassignments as apr
from pykafka_ops.wire.messages import alter_replica_log_dirs as ald
from pykafka_ops.wire.messages import describe_log_dirs as dld
from pykafka_ops.wire.messages import incremental_alter_configs as iac
from pykafka_ops.wire.messages import list_partition_reassignments as lpr
from pykafka_ops.wire.shared import PartitionCode
from tests.support.memory.client_clock import patient
from tests.support.memory.fake_broker import FakeBroker
from tests.support.memory.moving_world import MovingWorld

OK = 0


class Moving:
    """What the fake brokers know of moves; tests set and read it.

    ``under_way``: (replicas, adding, removing) by partition. ``refused``: error code and text by
    partition. ``dirs``: (directory, whether it is a future one) by topic, partition, broker.
    ``dir_codes``: what brokers answer to moves between directories, in order, then OK.
    """

    def __init__(self, brokers: tuple[FakeBroker, ...]) -> None:
        self.brokers = brokers
        self.under_way: dict[tuple[str, int], tuple[list[int], list[int], list[int]]] = {}
        self.refused: dict[tuple[str, int], tuple[int, str]] = {}
        self.dirs: dict[tuple[str, int, int], list[tuple[str, bool]]] = {}
        self.dir_codes: list[int] = []
        self.asked: dict[tuple[str, int], list[int] | None] = {}
        self.settings: list[tuple[str, str, int, str | None]] = []
        """Resource, setting, operation, value."""
        for broker in brokers:
            broker.topics = {"orders": [0, 1]}
            broker.on("ListPartitionReassignments", self._list)
            broker.on("AlterPartitionReassignments", self._alter)
            broker.on("IncrementalAlterConfigs", self._configs)
            broker.on("DescribeLogDirs", lambda r, b=broker: self._describe(r, b.node_id))
            broker.on("AlterReplicaLogDirs", self._move)

    def _list(self, request: Any) -> Any:
        wanted = None
        if request.topics is not None:
            wanted = {(t.name, p) for t in request.topics for p in t.partition_indexes}
        topics = [
            lpr.OngoingTopicReassignment(
                name=topic,
                partitions=[
                    lpr.OngoingPartitionReassignment(
                        partition_index=number,
                        replicas=replicas,
                        adding_replicas=adding,
                        removing_replicas=removing,
                    )
                ],
            )
            for (topic, number), (replicas, adding, removing) in self.under_way.items()
            if wanted is None or (topic, number) in wanted
        ]
        return lpr.ListPartitionReassignmentsResponse(topics=topics)

    def _alter(self, request: Any) -> Any:
        responses = []
        for t in request.topics:
            parts = []
            for p in t.partitions:
                self.asked[t.name, p.partition_index] = p.replicas
                code, text = self.refused.get((t.name, p.partition_index), (OK, None))
                parts.append(
                    apr.ReassignablePartitionResponse(
                        partition_index=p.partition_index, error_code=code, error_message=text
                    )
                )
            responses.append(apr.ReassignableTopicResponse(name=t.name, partitions=parts))
        return apr.AlterPartitionReassignmentsResponse(responses=responses)

    def _configs(self, request: Any) -> Any:
        for r in request.resources:
            for c in r.configs:
                self.settings.append((r.resource_name, c.name, c.config_operation, c.value))
        return iac.IncrementalAlterConfigsResponse(
            responses=[
                iac.AlterConfigsResourceResponse(
                    resource_type=r.resource_type, resource_name=r.resource_name
                )
                for r in request.resources
            ]
        )

    def _describe(self, request: Any, broker: int) -> Any:
        results = [
            _dir(path, key[0], key[1], future=future)
            for key, found in self.dirs.items()
            for path, future in found
            if key[2] == broker
        ]
        return dld.DescribeLogDirsResponse(results=results)

    def _move(self, request: Any) -> Any:
        code = self.dir_codes.pop(0) if self.dir_codes else OK
        return ald.AlterReplicaLogDirsResponse(
            results=[
                ald.AlterReplicaLogDirTopicResult(
                    topic_name=t.name,
                    partitions=[
                        PartitionCode(partition_index=p, error_code=code) for p in t.partitions
                    ],
                )
                for d in request.dirs
                for t in d.topics
            ]
        )


def _dir(path: str, topic: str, number: int, *, future: bool) -> Any:
    partition = dld.DescribeLogDirsPartition(partition_index=number, is_future_key=future)
    topics = [dld.DescribeLogDirsTopic(name=topic, partitions=[partition])]
    return dld.DescribeLogDirsResult(log_dir=path, topics=topics)


@pytest.fixture
def moving(fakes: tuple[FakeBroker, ...]) -> Moving:
    return Moving(fakes)


@pytest.fixture
def file(tmp_path: Path) -> Callable[..., str]:
    """Write a reassignment file: ``file({("t", 0): [1]}, {("t", 0): ["/b"]})``."""

    def write(
        replicas: dict[tuple[str, int], list[int]],
        dirs: dict[tuple[str, int], list[str]] | None = None,
    ) -> str:
        items = [
            {"topic": t, "partition": n, "replicas": ids}
            | ({"log_dirs": dirs[t, n]} if dirs and (t, n) in dirs else {})
            for (t, n), ids in replicas.items()
        ]
        path = tmp_path / "moves.json"
        path.write_text(json.dumps({"version": 1, "partitions": items}))
        return str(path)

    return write


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[MovingWorld]:
    made = MovingWorld()
    monkeypatch.setattr(runner, "_POLL_FIRST", 0.001)
    monkeypatch.setattr(runner, "_POLL_MOST", 0.01)
    monkeypatch.setattr(plans, "LOOK_SECONDS", 0.01)
    monkeypatch.setenv("PKO_BOOTSTRAP_SERVER", made.brokers[0].bootstrap)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    for name, value in patient(tmp_path).items():
        monkeypatch.setenv(name, value)
    yield made
    made.close()


@pytest.fixture
def plan(tmp_path: Path) -> str:
    return str(tmp_path / "moves.json")
