"""Wait until the metadata image of some topics is as expected."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from pykafka_ops.broker.state.image import MetadataDelta, MetadataImage


class _Waiter(NamedTuple):
    ready: Callable[[], bool]
    future: asyncio.Future[None]


class ImageWaits:
    """All who wait for changes of one image; looks only at topics that changed."""

    def __init__(self, image: MetadataImage) -> None:
        self._image = image
        self._waiters: dict[str, list[_Waiter]] = {}
        image.listeners.append(self._changed)

    async def wait(
        self, topics: Collection[str], ready: Callable[[], bool], timeout_ms: int
    ) -> bool:
        """Whether ``ready()`` came true in time; it can only with a change of one of ``topics``."""
        if ready() or timeout_ms <= 0:
            return ready()
        waiter = _Waiter(ready, asyncio.get_running_loop().create_future())
        for topic in topics:
            self._waiters.setdefault(topic, []).append(waiter)
        try:
            async with asyncio.timeout(timeout_ms / 1000):
                await waiter.future
        except TimeoutError:
            return ready()
        finally:
            for topic in topics:
                self._waiters[topic].remove(waiter)
                if not self._waiters[topic]:
                    del self._waiters[topic]
        return True

    async def leaderless(self, topics: Mapping[str, int], timeout_ms: int) -> list[str]:
        """Wait for leaders of each topic's partitions; the topics that lack some at the end.

        As in Kafka, no time to wait means that nobody looks.
        """
        if timeout_ms <= 0:
            return list(topics)

        def lack() -> list[str]:
            return [t for t, n in topics.items() if not self._image.has_leaders(t, range(n))]

        await self.wait(topics, lambda: not lack(), timeout_ms)
        return lack()

    def _changed(self, delta: MetadataDelta) -> None:
        if not self._waiters:
            return
        concerned = (w for topic in delta.partitions for w in self._waiters.get(topic, ()))
        for waiter in dict.fromkeys(concerned):  # who waits for thousands of topics is asked once
            if not waiter.future.done() and waiter.ready():
                waiter.future.set_result(None)


async def comes_true(image: MetadataImage, ready: Callable[[], bool], seconds: float) -> bool:
    """Whether ``ready()`` is true, or comes true with a change of the image in time."""
    true = asyncio.Event()

    def changed(_: MetadataDelta) -> None:
        if ready():
            true.set()

    image.listeners.append(changed)
    try:
        async with asyncio.timeout(seconds):
            return ready() or await true.wait()
    except TimeoutError:
        return False
    finally:
        image.listeners.remove(changed)
