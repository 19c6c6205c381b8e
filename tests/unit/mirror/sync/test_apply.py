"""A plan is made at the target; what is refused leaves the rest alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

import pytest

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.configs import AlterOp
from pykafka_ops.mirror.control.state import MIRRORED, Entry, TopicOrigin, forgotten_entry
from pykafka_ops.mirror.control.topic import ControlTopic
from pykafka_ops.mirror.sync.apply import Done, apply_plan
from pykafka_ops.mirror.sync.plan import MakeTopic, SetConfigs, SyncPlan
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.alter_configs import AlterConfigsResourceResponse
from pykafka_ops.wire.messages.create_topics import CreatableTopicResult, CreateTopicsResponse
from pykafka_ops.wire.messages.incremental_alter_configs import IncrementalAlterConfigsResponse
from tests.support.memory.fake_broker import FakeBroker, two_brokers


class Notes:
    """Stands for the control topic."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def write(self, entries: Sequence[Entry], now_ms: int) -> None:
        self.entries += entries


@pytest.fixture
def target() -> Iterator[tuple[FakeBroker, Cluster]]:
    """A broker that refuses settings named ``bad`` and a topic named ``taken``."""
    first, second = two_brokers()

    def created(request: Any) -> CreateTopicsResponse:
        return CreateTopicsResponse(
            topics=[CreatableTopicResult(name=t.name, error_code=_code(t)) for t in request.topics]
        )

    def altered(request: Any) -> IncrementalAlterConfigsResponse:
        return IncrementalAlterConfigsResponse(
            responses=[
                AlterConfigsResourceResponse(
                    error_code=_refused(r), resource_type=r.resource_type,
                    resource_name=r.resource_name,
                )
                for r in request.resources
            ]
        )  # fmt: skip

    for broker in (first, second):
        broker.on("CreateTopics", created).on("IncrementalAlterConfigs", altered)
    cluster = Cluster(ClientConfig.of({"bootstrap.servers": first.bootstrap}))
    yield first, cluster
    cluster.close()
    for broker in (first, second):
        broker.close()


def _refused(place: Any) -> int:
    return ErrorCode.INVALID_CONFIG if any(c.name == "bad" for c in place.configs) else 0


def _code(topic: Any) -> int:
    return ErrorCode.TOPIC_ALREADY_EXISTS if topic.name == "taken" else _refused(topic)


def applied(
    plan: SyncPlan, cluster: Cluster, *, identity: bool = False
) -> tuple[list[Done], Notes]:
    notes = Notes()
    return apply_plan(plan, cluster, cast("ControlTopic", notes), 0, identity=identity), notes


def test_a_topic_whose_settings_are_refused_is_made_without_them(
    target: tuple[FakeBroker, Cluster],
) -> None:
    plan = SyncPlan(makes=[MakeTopic("t", 2, -1, {"bad": "1"}), MakeTopic("u", 1, -1, {})])
    done, _ = applied(plan, target[1])
    assert [one.trouble for one in done] == [None, None]


def test_settings_are_set_one_by_one_where_some_are_refused(
    target: tuple[FakeBroker, Cluster],
) -> None:
    changes = ((AlterOp.SET, "good", "1"), (AlterOp.SET, "bad", "1"))
    done, _ = applied(SyncPlan(configs=[SetConfigs("t", changes, {})]), target[1])
    assert [one.what for one in done] == ["settings of t: good", "settings of t: bad"]
    assert done[0].trouble is None and "INVALID_CONFIG" in str(done[1].trouble)


def test_a_topic_that_somebody_else_made_is_no_longer_claimed_without_a_prefix(
    target: tuple[FakeBroker, Cluster],
) -> None:
    origins: dict[str, TopicOrigin | None] = {"taken": TopicOrigin(MIRRORED, "01")}
    plan = SyncPlan(makes=[MakeTopic("taken", 1, -1, {})], origins=origins)
    done, notes = applied(plan, target[1], identity=True)
    assert len(done) == 1 and done[0].trouble is not None
    assert notes.entries[-1] == forgotten_entry("taken")
    done, notes = applied(plan, target[1])
    assert not done and len(notes.entries) == 1
