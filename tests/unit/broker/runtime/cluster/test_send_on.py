"""What a broker asks the controller to create for its clients, and what it makes of the answer."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from pykafka_ops.broker.runtime.cluster.send_on import TopicForwarder
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.controller.topic_requests import TopicSpec, default_spec
from pykafka_ops.errors import ConnectError
from pykafka_ops.wire.codec import decode, encode
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.create_topics import (
    CreatableTopicResult,
    CreateTopicsRequest,
    CreateTopicsResponse,
)

SETTINGS = BrokerConfigs(
    {"num.partitions": "4", "default.replication.factor": "2", "offsets.topic.num.partitions": "9"}
)


class Link:
    """The way to a controller; requests go through the codec of their version."""

    def __init__(self, *results: CreatableTopicResult) -> None:
        self.results = list(results)
        self.asked: list[CreateTopicsRequest] = []

    async def ask(self, request: Any, version: int, answer: type[Any]) -> Any:
        self.asked.append(decode(CreateTopicsRequest, version, encode(request, version)))
        if not self.results:
            raise ConnectError("no controller is known yet")
        return CreateTopicsResponse(topics=self.results)


def send(link: Link, *specs: TopicSpec) -> Any:
    forwarder = TopicForwarder(cast(Any, link), SETTINGS)
    return asyncio.run(forwarder.send_on(specs, 200))


def test_counts_left_open_are_those_of_the_broker_that_was_asked() -> None:
    link = Link(CreatableTopicResult(name="t"))
    assert send(link, TopicSpec(name="t")) == {"t": None}
    (topic,) = link.asked[0].topics
    assert (topic.name, topic.num_partitions, topic.replication_factor) == ("t", 4, 2)
    assert (link.asked[0].timeout_ms, link.asked[0].validate_only) == (200, False)


def test_internal_topics_bring_their_own_counts_and_settings() -> None:
    link = Link(CreatableTopicResult(name="__consumer_offsets"))
    send(link, default_spec("__consumer_offsets", SETTINGS.value))
    (topic,) = link.asked[0].topics
    assert (topic.num_partitions, topic.replication_factor) == (9, 3)
    assert {c.name: c.value for c in topic.configs}["cleanup.policy"] == "compact"


def test_each_topic_has_its_error() -> None:
    refused = CreatableTopicResult(
        name="u", error_code=ErrorCode.INVALID_REPLICATION_FACTOR, error_message="too few"
    )
    link = Link(CreatableTopicResult(name="t"), refused)
    found = send(link, TopicSpec(name="t"), TopicSpec(name="u"))
    assert found["t"] is None
    assert (found["u"].code, found["u"].message) == (38, "too few")


def test_without_a_controller_nothing_is_created() -> None:
    with pytest.raises(ConnectError):
        send(Link(), TopicSpec(name="t"))
