"""Topics that several clients ask for at once."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

from pykafka_ops.broker.services.auto_topics import AutoTopics
from pykafka_ops.broker.services.image_waits import ImageWaits
from pykafka_ops.wire.codes import ErrorCode


class Creator:
    """A controller that creates a topic once it ``may``."""

    is_controller = True

    def __init__(self, image: Any) -> None:
        self.image = image
        self.may = asyncio.Event()
        self.asked: list[str] = []

    async def create_all(self, specs: Any, timeout_ms: int, charge: object) -> Any:
        names = [spec.name for spec in specs]
        self.asked += names
        await self.may.wait()
        for name in names:
            self.image.topics[name] = object()
        for listener in self.image.listeners:
            listener(SimpleNamespace(partitions=dict.fromkeys(names)))
        return dict.fromkeys(names)


def test_who_comes_second_waits_for_the_topic_of_the_first() -> None:
    async def scenario() -> None:
        image: Any = SimpleNamespace(topics={}, listeners=[])
        creator = Creator(image)
        configs: Any = SimpleNamespace(value=lambda name: 1)
        topics = AutoTopics(creator, image, ImageWaits(image), configs)
        clients = [asyncio.ensure_future(topics.create(["t"])) for _ in range(3)]
        await asyncio.sleep(0)
        assert not any(client.done() for client in clients)
        creator.may.set()
        assert await asyncio.gather(*clients) == [{"t": ErrorCode.NONE}] * 3
        assert creator.asked == ["t"]

    asyncio.run(scenario())


def test_who_comes_second_is_not_kept_for_long() -> None:
    async def scenario() -> None:
        image: Any = SimpleNamespace(topics={}, listeners=[])
        configs: Any = SimpleNamespace(value=lambda name: 1)
        creator = Creator(image)
        topics = AutoTopics(creator, image, ImageWaits(image), configs)
        first = asyncio.ensure_future(topics.create(["t"]))
        await asyncio.sleep(0)
        assert await topics.create(["t"]) == {"t": ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}
        creator.may.set()
        assert await first == {"t": ErrorCode.NONE}

    asyncio.run(scenario())
