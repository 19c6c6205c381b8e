"""Brokers in memory that answer requests about topics: handlers, controller, tree, no sockets."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.broker.services.config_admin import ConfigAdmin
from pykafka_ops.broker.services.controller_requests import ControllerRequests
from pykafka_ops.broker.services.meter import Meter
from pykafka_ops.broker.services.topic_admin import TopicAdmin
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.image import MetadataImage
from pykafka_ops.broker.state.quotas.clients import ClientQuotas
from pykafka_ops.broker.state.quotas.entities import QuotaEntities
from pykafka_ops.wire.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreateTopicsRequest,
)
from tests.support.memory.asking import api_of, ask_and_wait
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
                config_admin=lambda: ConfigAdmin(node.store, node.image, configs, broker),
                controller=ControllerRequests(node.loop, node.store),
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
        context = Context(self.services(on), version, "c", 1, listener, "h", 1)
        client = (context.user, context.client_id or "")
        timer = context.services.timer
        context.meter = Meter(self.quotas, client, api_of(request), 0, timer, self.time)
        answer = await ask_and_wait(context, request)
        self.throttle_ms = context.meter.settle(answered=True)
        return answer

    async def create(self, *replicas: list[int], name: str = "t") -> None:
        """A topic with one partition for each list of replicas."""
        assignments = [
            CreatableReplicaAssignment(partition_index=i, broker_ids=ids)
            for i, ids in enumerate(replicas)
        ]
        topic = CreatableTopic(
            name=name, num_partitions=-1, replication_factor=-1, assignments=assignments
        )
        answer = await self.ask(CreateTopicsRequest(topics=[topic], timeout_ms=60_000), 7)
        assert [each.error_code for each in answer.topics] == [0]

    def epoch(self, broker: int) -> int:
        """That of the broker's registration, as the controller knows it."""
        rules = self.nodes[0].loop._rules
        assert rules is not None
        return rules.cluster.brokers[broker].epoch

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
