"""Waiting for a picture of the cluster: who waits is asked when it may have come true."""

from __future__ import annotations

import asyncio

from pykafka_ops.broker.services.image_waits import ImageWaits
from pykafka_ops.broker.state.image import MetadataDelta, MetadataImage, PartitionImage

TOPICS = [f"t{n}" for n in range(20)]


def tell(image: MetadataImage, *topics: str) -> None:
    """An UpdateMetadata that says where the topics are led."""
    led = {topic: {0: PartitionImage(1, 0, (1,), (1,))} for topic in topics}
    image.apply(MetadataDelta(controller_id=1, controller_epoch=1, brokers=[], partitions=led))


async def asked_until_all_are_there() -> int:
    """How often somebody is asked who waits for all topics, of which half are told at a time."""
    image, asked = MetadataImage(), 0
    waits = ImageWaits(image)

    def ready() -> bool:
        nonlocal asked
        asked += 1
        return all(topic in image.topics for topic in TOPICS)

    waiting = asyncio.create_task(waits.wait(TOPICS, ready, 60_000))
    await asyncio.sleep(0)
    tell(image, *TOPICS[:10])
    tell(image, "other")
    assert not waiting.done()
    tell(image, *TOPICS[10:])
    assert await waiting
    return asked


def test_who_waits_for_many_topics_is_asked_once_for_each_news_of_some() -> None:
    assert asyncio.run(asked_until_all_are_there()) == 3
