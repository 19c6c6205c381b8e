"""What a cluster says of topics, before librdkafka is asked for their records."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pykafka_ops.analysis.near import did_you_mean
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.topic_changes import CreatedTopic, NewTopic, create_topics
from pykafka_ops.commands.framework.output import say
from pykafka_ops.commands.framework.run import PATIENCE
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
)

NEAR_SECONDS = 1.0


class FoundTopic(NamedTuple):
    """A topic of the cluster: its error code (0: none) and partitions."""

    error: int
    partitions: list[int]
    internal: bool = False


class TopicLookup:
    """Asks for topics over a connection of its own, beside librdkafka's.

    Our client says at once, and in words, what is wrong with a cluster or topic; librdkafka keeps
    trying.
    """

    def __init__(self, properties: Mapping[str, str], *, flags: bool, debug: bool) -> None:
        self.config = ClientConfig.of(properties)
        self.patience = self.config.api_timeout
        if not flags and "default.api.timeout.ms" not in properties:
            self.patience = min(PATIENCE, self.patience)
        trace = (lambda line: say(f"trace: {line}")) if debug else None
        self.cluster = Cluster(self.config, trace=trace)

    def close(self) -> None:
        """Close the connections."""
        self.cluster.close()

    def topics(
        self, names: Sequence[str] | None, *, seconds: float | None = None, create: bool = False
    ) -> dict[str, FoundTopic]:
        """The topics named (None: all). ConnectError within ``seconds`` of trying.

        ``create`` lets brokers make a missing topic, where their settings allow that.
        """
        least = max(self.patience, self.config.silence)  # one that is silent may be so for so long
        self.config.api_timeout = least if seconds is None else seconds
        self.config.patience = min(self.patience, self.config.api_timeout)
        wanted = None if names is None else [MetadataRequestTopic(name=n) for n in names]
        request = MetadataRequest(topics=wanted, allow_auto_topic_creation=create)
        answer = self.cluster.call(request, MetadataResponse, name="metadata")
        return {
            topic.name or "": FoundTopic(
                topic.error_code,
                [p.partition_index for p in topic.partitions],
                internal=topic.is_internal,
            )
            for topic in answer.topics
        }

    def create(self, name: str) -> CreatedTopic | KafkaError:
        """Make a topic by the brokers' defaults, if it is not there."""
        if self.topics([name])[name].error == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
            return create_topics(self.cluster, [NewTopic(name)])[name]
        return KafkaError(ErrorCode.TOPIC_ALREADY_EXISTS)

    def near(self, name: str) -> str:
        """`` (did you mean orders?)`` for a topic that does not exist; nothing where none is near
        or the cluster does not say."""
        try:
            return did_you_mean(name, self.topics(None, seconds=NEAR_SECONDS))
        except PkoError:
            return ""

    def tries(self, name: str, *, seconds: float, create: bool) -> Iterator[FoundTopic]:
        """Ask for one topic until ``seconds`` have passed, the last answer included."""
        deadline, pause = time.monotonic() + seconds, 0.02
        while True:
            left = max(0.001, deadline - time.monotonic())
            yield self.topics([name], seconds=left, create=create)[name]
            if time.monotonic() + pause > deadline:
                return
            time.sleep(pause)
            pause = min(pause * 2, 0.5)
