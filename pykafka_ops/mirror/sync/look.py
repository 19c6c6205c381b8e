"""What a plan needs to know of a cluster, asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import TypeVar

from pykafka_ops.client.acls import describe_acls
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.configs import TOPIC, ConfigEntry, ConfigResource, describe_configs
from pykafka_ops.client.failure_text import in_one_line
from pykafka_ops.client.quotas import all_quotas
from pykafka_ops.client.scram import describe_scram
from pykafka_ops.client.topics import TopicDescription, all_topics, describe_topics
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.mirror.settings.model import LinkSettings
from pykafka_ops.mirror.sync.facts import MirroredTopic, MirrorFacts
from pykafka_ops.security.acls.filters import AclFilter
from pykafka_ops.security.acls.rules import ResourceType
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.types import ZERO_UUID

T = TypeVar("T")
_PART = 500
"""Topics in one question about settings."""


def topics_of_cluster(cluster: Cluster, known: Collection[str] = ()) -> MirrorFacts:
    """Topics, and which of ``known`` are no more. Raises PkoError.

    Brokers leave topics out of their list that a login may not see, so those that are missing are
    asked for by name.
    """
    found = {t.name: _facts(t) for t in all_topics(cluster)}
    gone = set()
    missing = [name for name in known if name not in found]
    if missing:
        for name, answer in describe_topics(cluster, missing).items():
            unknown = isinstance(answer, KafkaError) and (
                answer.code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            )
            if unknown and isinstance(name, str):
                gone.add(name)
    return MirrorFacts(cluster.cluster_id, found, frozenset(gone))


def add_configs(facts: MirrorFacts, cluster: Cluster, topics: Iterable[str]) -> None:
    """Ask for the settings of topics, as far as they can be had."""
    wanted = [ConfigResource(TOPIC, name) for name in topics if name in facts.topics]
    found: dict[str, list[ConfigEntry]] = {}
    refused: dict[str, list[str]] = {}
    for at in range(0, len(wanted), _PART):
        part = wanted[at : at + _PART]
        answers = _tried(facts, "settings of topics", partial(describe_configs, cluster, part))
        for resource, entries in (answers or {}).items():
            if isinstance(entries, PkoError):
                refused.setdefault(in_one_line(entries), []).append(resource.name)
            else:
                found[resource.name] = entries
    for why, names in refused.items():
        some = names[0] if len(names) == 1 else f"{len(names)} topics, {names[0]} among them"
        facts.troubles.append(f"settings of {some}: {why}")
    facts.configs = found


def add_rest(facts: MirrorFacts, cluster: Cluster, link: LinkSettings) -> None:
    """Ask for rules, quotas and users, where the link wants them."""
    if link.sync_acls:
        topics = AclFilter(ResourceType.TOPIC)
        try:
            facts.acls = describe_acls(cluster, topics)
        except KafkaError as error:
            if error.code != ErrorCode.SECURITY_DISABLED:
                facts.troubles.append(f"access rules: {in_one_line(error)}")
        except PkoError as error:
            facts.troubles.append(f"access rules: {in_one_line(error)}")
    if link.sync_quotas:
        facts.quotas = _tried(facts, "quotas", partial(all_quotas, cluster))
    if link.sync_users:
        facts.users = _tried(facts, "users", lambda: _users(cluster))


def _users(cluster: Cluster) -> dict[str, dict[str, int]]:
    return {u: v for u, v in describe_scram(cluster).items() if not isinstance(v, KafkaError)}


def _tried(facts: MirrorFacts, what: str, ask: Callable[[], T]) -> T | None:
    try:
        return ask()
    except PkoError as error:
        facts.troubles.append(f"{what}: {in_one_line(error)}")
        return None


def _facts(topic: TopicDescription) -> MirroredTopic:
    return MirroredTopic(topic.id.hex() if topic.id != ZERO_UUID else "", len(topic.partitions))
