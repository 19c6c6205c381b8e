"""Subscriptions to metrics of clients: what brokers ask clients to send (KIP-714, KIP-1000)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.configs import (
    CLIENT_METRICS,
    GROUP,
    AlterOp,
    ConfigResource,
    alter_configs,
    describe_configs,
)
from pykafka_ops.client.connection import UnsupportedVersionError
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.messages import list_client_metrics_resources as lists


def subscription_names(cluster: Cluster) -> list[str]:
    """All of them, as the broker lists them. KafkaError; brokers on ZooKeeper have none."""
    return _names_of(cluster, CLIENT_METRICS, name="listClientMetricsResources")


def groups_with_settings(cluster: Cluster) -> list[str]:
    """The groups that have settings of their own, also those that nobody has joined yet (KIP-1142);
    [] where brokers cannot say (before Kafka 4.1). KafkaError."""
    try:
        return _names_of(cluster, GROUP, name="listConfigResources", lowest=1)
    except UnsupportedVersionError:
        return []


def _names_of(cluster: Cluster, kind: int, *, name: str, lowest: int = 0) -> list[str]:
    """The names of one kind; a broker that can tell of others, too, is not asked for them."""
    answer = cluster.call(
        lists.ListClientMetricsResourcesRequest(resource_types=[kind]),
        lists.ListClientMetricsResourcesResponse,
        name=name,
        lowest=lowest,
    )
    if answer.error_code:
        raise KafkaError(answer.error_code)
    return [r.name for r in answer.client_metrics_resources if r.resource_type == kind]


def describe_subscriptions(
    cluster: Cluster, names: Sequence[str]
) -> dict[str, dict[str, str] | PkoError]:
    """The settings of each, defaults among them, or why there are none."""
    resources = [ConfigResource(CLIENT_METRICS, name) for name in names]
    found: dict[str, dict[str, str] | PkoError] = {}
    for resource, entries in describe_configs(cluster, resources).items():
        if isinstance(entries, PkoError):
            found[resource.name] = entries
        else:
            found[resource.name] = {e.name: e.value or "" for e in entries}
    return found


def change_subscription(cluster: Cluster, name: str, changes: Mapping[str, str | None]) -> None:
    """Set what has a value, delete what has none. KafkaError where the broker refuses."""
    resource = ConfigResource(CLIENT_METRICS, name)
    wanted = [
        (AlterOp.DELETE if value is None else AlterOp.SET, key, value)
        for key, value in changes.items()
    ]
    error = alter_configs(cluster, {resource: wanted})[resource]
    if error is not None:
        raise error
