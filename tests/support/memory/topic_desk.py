"""Brokers in memory that answer requests about topics: handlers, controller, tree, no sockets."""

from __future__ import annotations

import asyncio
import inspect
import itertools
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from pykafka_ops.broker.handlers import ROUTES
from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.broker.handlers.meter import Meter
from pykafka_ops.broker.services.config_admin import ConfigAdmin
from pykafka_ops.broker.services.topic_admin import TopicAdmin
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.image import MetadataImage
from pykafka_ops.broker.state.quotas.clients import ClientQuotas
from pykafka_ops.broker.state.quotas.entities import QuotaEntities
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codec import decode, encode
from pykafka_ops.wire.message import table_of
from tests.support.memory.replica_double import Nodes, eventually

CLUSTER_ID = "c-id"


class TopicDesk:
    """A few brokers; requests and answers go through the codec of their version.

    ``quotas`` are the same on all brokers and count on the clock ``time`` (ms); ``throttle_ms`` is
    for how long the client of the last request is left alone.
    """

    def __init__(self, nodes: Nodes, settings: Mapping[str, str]) -> None:
        self.nodes = nodes
        self._settings = settings
        self._services: dict[int, Any] = {}
        self._random = itertools.count()
        self.quotas = ClientQuotas(QuotaEntities(), BrokerConfigs(settings).value)
        self.time = 0.0
        self.throttle_ms = 0

    def services(self, broker: int) -> Any:
        """What handlers of ``broker`` work with."""
        if broker not in self._services:
            node = self.nodes[broker]
            configs = BrokerConfigs({"broker.id": str(broker), **self._settings})
            self._services[broker] = SimpleNamespace(
                broker_id=broker,
                cluster_id=CLUSTER_ID,
                configs=configs,
                timer=lambda: self.time,
                image=node.image,
                store=node.store,
                config_admin=ConfigAdmin(node.store, node.image, configs, broker),
                topics=TopicAdmin(
                    node.image,
                    node.loop,
                    configs,
                    draw=lambda n: next(self._random) % n,
                    new_topic_id=self.nodes.new_id,
                ),
            )
        return self._services[broker]

    async def ask(
        self, request: Any, version: int, *, on: int = 0, listener: str = "PLAINTEXT"
    ) -> Any:
        """The answer of broker ``on``; errors for the whole request are shaped as it would."""
        key = table_of(type(request)).api
        module = ROUTES[key].load()
        asked = decode(type(request), version, encode(request, version))
        context = Context(self.services(on), version, "c", 1, listener, "h", 1)
        client = (context.user, context.client_id or "")
        context.meter = Meter(self.quotas, client, key, 0, context.services.timer, self.time)
        try:
            answer: Any = module.handle(context, asked)
            if inspect.iscoroutine(answer):
                answer = await answer
        except KafkaError as error:
            if not hasattr(module, "failed"):
                raise
            answer = module.failed(asked, version, error)
        self.throttle_ms = context.meter.settle(answered=True)
        return decode(type(answer), version, encode(answer, version))

    def image(self, broker: int = 0) -> MetadataImage:
        """What a broker knows."""
        return self.nodes[broker].image

    async def settle(self) -> None:
        """Until every broker knows every broker."""
        await eventually(
            lambda: all(
                set(node.image.brokers) == set(self.nodes.nodes)
                for node in self.nodes.nodes.values()
            )
        )


Body = Callable[[TopicDesk], Coroutine[Any, Any, None]]


def at_desk(
    directory: Path, body: Body, *, brokers: int = 1, settings: Mapping[str, str] | None = None
) -> None:
    """Run ``body`` at a desk with that many brokers."""

    async def main() -> None:
        async with Nodes(directory, brokers) as nodes:
            desk = TopicDesk(nodes, settings or {})
            await desk.settle()
            await body(desk)

    asyncio.run(main())
