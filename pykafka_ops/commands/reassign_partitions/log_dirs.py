"""Moves between the log directories of a broker: start them, and see how far they are."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import NamedTuple

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.log_dirs import (
    ReplicaDirs,
    ReplicaKey,
    alter_replica_dirs,
    describe_replica_dirs,
)
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.failures import text_of
from pykafka_ops.commands.reassign_partitions.text import (
    ReassignError,
    Talk,
    TerseError,
    joined,
    plural,
)
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

_PAUSE = 0.1
_TRY_MS = 10_000
"""Seconds between two tries to start a move."""


class DirState(NamedTuple):
    """Where a replica lies, where it moves to, where it is to be."""

    dirs: ReplicaDirs
    target: str

    @property
    def active(self) -> bool:
        """Whether it moves, wherever to."""
        return self.dirs.current is not None and self.dirs.future is not None

    @property
    def done(self) -> bool:
        """Whether nothing moves; a replica that is nowhere may yet come."""
        return self.dirs.current is not None and self.dirs.future is None

    @property
    def reached(self) -> bool:
        """Whether it lies where it shall."""
        return self.done and self.dirs.current == self.target


def states_of(cluster: Cluster, targets: Mapping[ReplicaKey, str]) -> dict[ReplicaKey, DirState]:
    """The state of each replica that is to be in a directory; PkoError."""
    if not targets:
        return {}
    dirs = describe_replica_dirs(cluster, targets)
    return {key: DirState(dirs[key], target) for key, target in sorted(targets.items())}


def state_line(replica: ReplicaKey, state: DirState) -> str:
    """The state in Kafka's words."""
    topic, number, broker = replica
    (current, future), target = state
    partition = f"Partition {topic}-{number}"
    if current is None:
        return (
            f"{partition} is not found in any live log dir on broker {broker}. There is likely an "
            "offline log directory on the broker."
        )
    if future is None and current == target:
        return f"Reassignment of replica {topic}-{number}-{broker} completed successfully."
    if future is None:
        return (
            f"{partition} on broker {broker} is not being moved from log dir {current} to {target}."
        )
    if future == target:
        return f"Reassignment of replica {topic}-{number}-{broker} is still in progress."
    return f"{partition} on broker {broker} is being moved to log dir {future} instead of {target}."


def patience_of(args: Args) -> int:
    """How long to try to start moves, ms: ``--timeout`` of Kafka's tool, or its default."""
    given = args.number("timeout") if args.flags else None
    return _TRY_MS if given is None else given


def start(cluster: Cluster, targets: Mapping[ReplicaKey, str], timeout_ms: int, talk: Talk) -> None:
    """Start the moves, and again those whose replica is not on its broker yet.

    TerseError where some could not start within the time, ReassignError where a broker refuses.
    """
    deadline = time.monotonic() + timeout_ms / 1000
    pending = dict(targets)
    while True:
        for key in _started(cluster, pending):
            topic, number, broker = key
            talk.say(
                f"Successfully started moving log directory to {pending.pop(key)} for replica "
                f"{topic}-{number} with broker {broker} "
            )
        if not pending:
            return
        if time.monotonic() >= deadline:
            what = plural("log directory move", len(pending))
            names = joined(_named(key) for key in sorted(pending))
            raise TerseError(f"Timed out before {what} could be started for: {names}")
        time.sleep(_PAUSE)


def _started(cluster: Cluster, moves: Mapping[ReplicaKey, str]) -> list[ReplicaKey]:
    found = []
    for key, error in sorted(alter_replica_dirs(cluster, moves).items()):
        if error is None:
            found.append(key)
        elif not (isinstance(error, KafkaError) and error.code == ErrorCode.REPLICA_NOT_AVAILABLE):
            # Kafka's tool has the reason in its stack trace only.
            raise ReassignError(f"Failed to alter dir for {_named(key)}: {text_of(error)}")
    return found


def _named(key: ReplicaKey) -> str:
    return f"{key[0]}-{key[1]}-{key[2]}"
