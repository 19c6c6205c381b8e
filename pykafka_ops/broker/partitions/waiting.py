"""Coroutines that wait for something to happen to logs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from pykafka_ops.broker.partitions.replicas import PartitionKey, Replicas
from pykafka_ops.broker.state.purgatory import Waiter

LOOK_AGAIN_MS = 1000.0
"""A log that is gone meanwhile tells nobody."""


async def wait_until(
    replicas: Replicas,
    keys: Iterable[PartitionKey],
    ready: Callable[[], bool],
    *,
    patience_ms: float = float("inf"),
) -> bool:
    """Wait until ``ready()``, which is asked when something happens to the logs ``keys``; whether
    it is. After ``patience_ms`` nobody waits any longer."""
    end = replicas.timer() + patience_ms
    while not ready():
        now = replicas.timer()
        if now >= end:
            return False
        moved: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def tell(_: object, moved: asyncio.Future[None] = moved) -> None:
            if not moved.done():
                moved.set_result(None)

        waiter = Waiter(keys, min(end, now + LOOK_AGAIN_MS), ready, tell, tell)
        replicas.wait(replicas.produces, waiter)
        try:
            await moved
        finally:
            replicas.produces.drop(waiter)
    return True
