"""Has the controller create topics that clients requested from this broker."""

from __future__ import annotations

from collections.abc import Sequence

from pykafka_ops.broker.runtime.cluster.controller_link import ControllerLink
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.controller.topic_requests import DEFAULT, TopicSpec
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.messages.create_topics import (
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
    CreateTopicsResponse,
)

VERSION = 5
"""The last one that a quota of controller mutations only slows down, and does not refuse."""


class TopicForwarder:
    """Asks over ``link``; counts that a topic leaves open are this broker's, as in Kafka."""

    def __init__(self, link: ControllerLink, configs: BrokerConfigs) -> None:
        self._link = link
        self._configs = configs

    async def send_on(
        self, specs: Sequence[TopicSpec], timeout_ms: int
    ) -> dict[str, KafkaError | None]:
        """An error for each topic. Raises ConnectError if the controller cannot be asked."""
        request = CreateTopicsRequest(
            topics=[self._topic(spec) for spec in specs], timeout_ms=timeout_ms
        )
        response = await self._link.ask(request, VERSION, CreateTopicsResponse)
        return {
            topic.name: KafkaError(topic.error_code, topic.error_message or "")
            if topic.error_code
            else None
            for topic in response.topics
        }

    def _topic(self, spec: TopicSpec) -> CreatableTopic:
        get = self._configs.value
        count, factor = spec.partitions, spec.replication_factor
        return CreatableTopic(
            name=spec.name,
            num_partitions=get("num.partitions") if count == DEFAULT else count,
            replication_factor=get("default.replication.factor") if factor == DEFAULT else factor,
            configs=[CreatableTopicConfig(name=n, value=v) for n, v in spec.config.items()],
        )
