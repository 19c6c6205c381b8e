"""A copier as a process of its own, which may be told at which step to die.

    python -m tests.support.mirror.runner SOURCE TARGET TOPIC PARTITIONS END MODE [STEP [COUNT]]

Ends with 0 once each partition is committed up to END. STEP is a method of the copier's parts;
the process kills itself after it has been called COUNT times (``-`` before the name: before the
call).
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from pykafka_ops.client.transactional import TransactionalProducer
from pykafka_ops.mirror.copy.copier import copier_of
from pykafka_ops.mirror.copy.lane import CopyLane
from pykafka_ops.mirror.copy.rounds import RoundWriter
from pykafka_ops.mirror.copy.writer import TargetWriter
from tests.support.mirror.pair import MirrorPair, config, lone

STEPS = {
    "recover": (RoundWriter, "recover"),
    "positions": (RoundWriter, "positions"),
    "admit": (RoundWriter, "admit"),
    "put": (TargetWriter, "put"),
    "request": (TargetWriter, "_request"),
    "acknowledged": (CopyLane, "settle"),
    "drain": (RoundWriter, "drain"),
    "map": (RoundWriter, "_write_map"),
    "add_offsets": (TransactionalProducer, "add_offsets"),
    "commit_offsets": (TransactionalProducer, "commit_offsets"),
    "end": (TransactionalProducer, "end"),
    "plain_offsets": (RoundWriter, "_commit_offsets"),
    "commit": (RoundWriter, "commit"),
}


def die_at(step: str, count: int) -> None:
    before = step.startswith("-")
    owner, name = STEPS[step.lstrip("-")]
    original: Callable[..., Any] = getattr(owner, name)
    calls = 0

    def replaced(*args: Any, **more: Any) -> Any:
        nonlocal calls
        calls += 1
        if before and calls == count:
            os.kill(os.getpid(), signal.SIGKILL)
        result = original(*args, **more)
        if calls == count:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, name, replaced)


def main(source: str, target: str, topic: str, partitions: str, end: str, mode: str) -> None:
    pair = MirrorPair(source, target)
    link = pair.link(exactly_once=mode == "exactly-once", round_ms=100, round_bytes=200_000)
    copier = copier_of(link, config(source), config(target))
    copier.assign(pair.tasks(topic, int(partitions)), lone())
    while any(p.position < int(end) for p in copier.progress().values()):
        result = copier.round()
        if result.trouble:
            print(result.trouble, flush=True)
    copier.close()


if __name__ == "__main__":
    if len(sys.argv) > 7:
        die_at(sys.argv[7], int(sys.argv[8]) if len(sys.argv) > 8 else 1)
    main(*sys.argv[1:7])
