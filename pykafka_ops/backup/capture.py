"""What a run keeps of a cluster beside records: topics, settings, groups, rules, quotas, users."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple, TypeVar

from pykafka_ops.backup.manifest import (
    CommitEntry,
    GroupEntry,
    KeptTopic,
    QuotaEntry,
    RuleEntry,
)
from pykafka_ops.client.acls import describe_acls
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.configs import TOPIC, ConfigResource
from pykafka_ops.client.failure_text import in_one_line
from pykafka_ops.client.group_offsets import Committed, fetch_offsets
from pykafka_ops.client.groups import list_groups
from pykafka_ops.client.own_settings import own_settings
from pykafka_ops.client.quotas import all_quotas
from pykafka_ops.client.scram import describe_scram
from pykafka_ops.client.topics import TopicDescription, all_topics
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.types import ZERO_UUID

T = TypeVar("T")
_PART: Final = 500
"""Topics, or groups, in one question."""
_CONSUMERS: Final = ("", "consumer")
"""Protocol types of groups whose offsets are a consumer's: simple commits have none."""


class BackupScope(NamedTuple):
    """What is kept: topics and groups by name; rules, quotas and users all or not at all."""

    topic: Callable[[str], bool]
    group: Callable[[str], bool]
    rest: bool = True


class Captured(NamedTuple):
    """``notes``: what could not be asked, in a sentence each."""

    topics: list[KeptTopic]
    groups: list[GroupEntry]
    rules: list[RuleEntry]
    quotas: list[QuotaEntry]
    users: list[str]
    notes: list[str]


def capture(cluster: Cluster, scope: BackupScope) -> Captured:
    """Ask for all of it; lives of topics are not known here. Raises PkoError where not even the
    topics can be had."""
    notes: list[str] = []
    topics = [t for t in all_topics(cluster) if scope.topic(t.name)]
    settings = _settings(cluster, [t.name for t in topics], notes)
    groups = _tried(notes, "groups", lambda: _groups(cluster, scope, notes)) or []
    rules: list[RuleEntry] = []
    quotas: list[QuotaEntry] = []
    users: list[str] = []
    if scope.rest:
        rules = _tried(notes, "access rules", lambda: _rules(cluster)) or []
        quotas = _tried(notes, "quotas", lambda: quotas_of(cluster)) or []
        users = _tried(notes, "users", lambda: sorted(describe_scram(cluster))) or []
    return Captured([_topic(t, settings) for t in topics], groups, rules, quotas, users, notes)


def _topic(topic: TopicDescription, settings: dict[str, dict[str, str]]) -> KeptTopic:
    copies = min((len(p.replicas) for p in topic.partitions), default=1)
    topic_id = topic.id.hex() if topic.id != ZERO_UUID else ""
    own = settings.get(topic.name, {})
    return KeptTopic(topic.name, topic_id, len(topic.partitions), copies, own)


def _settings(
    cluster: Cluster, topics: Sequence[str], notes: list[str]
) -> dict[str, dict[str, str]]:
    """Settings that topics have of their own."""
    found: dict[str, dict[str, str]] = {}
    for names in _parts(topics):
        wanted = [ConfigResource(TOPIC, name) for name in names]
        for resource, own in own_settings(cluster, wanted).items():
            if isinstance(own, PkoError):
                notes.append(f"settings of {resource.name}: {in_one_line(own)}")
            else:
                found[resource.name] = {k: v for k, v in own.items() if v is not None}
    return found


def _groups(cluster: Cluster, scope: BackupScope, notes: list[str]) -> list[GroupEntry]:
    listed, failed = list_groups(cluster)
    notes += [f"groups of broker {b}: {in_one_line(e)}" for b, e in sorted(failed.items())]
    names = sorted(g.id for g in listed.values() if _is_kept(g.id, g.protocol_type, scope))
    made = []
    for part in _parts(names):
        for name, offsets in fetch_offsets(cluster, part).items():
            if isinstance(offsets, PkoError):
                notes.append(f"group {name}: {in_one_line(offsets)}")
                continue
            commits = []
            for (topic, partition), found in sorted(offsets.items()):
                if not isinstance(found, Committed):
                    notes.append(f"group {name}, {topic}-{partition}: {in_one_line(found)}")
                elif scope.topic(topic):
                    commits.append(CommitEntry(topic, partition, *found))
            made.append(GroupEntry(name, listed[name].state, tuple(commits)))
    return made


def _is_kept(group: str, protocol_type: str, scope: BackupScope) -> bool:
    return protocol_type in _CONSUMERS and scope.group(group)


def _rules(cluster: Cluster) -> list[RuleEntry]:
    try:
        return rules_of(cluster)
    except KafkaError as error:
        if error.code == ErrorCode.SECURITY_DISABLED:
            return []
        raise


def rules_of(cluster: Cluster) -> list[RuleEntry]:
    """All access rules; KafkaError SECURITY_DISABLED where there is no authorizer."""
    return [
        RuleEntry(
            r.type.name, r.name, r.pattern.name,
            e.principal, e.host, e.operation.name, e.permission.name,
        )
        for r, e in describe_acls(cluster)
    ]  # fmt: skip


def quotas_of(cluster: Cluster) -> list[QuotaEntry]:
    """All quotas. Raises PkoError."""
    return [QuotaEntry(entity, values) for entity, values in all_quotas(cluster).items()]


def _parts(names: Sequence[str]) -> Iterable[Sequence[str]]:
    return (names[at : at + _PART] for at in range(0, len(names), _PART))


def _tried(notes: list[str], what: str, ask: Callable[[], T]) -> T | None:
    try:
        return ask()
    except PkoError as error:
        notes.append(f"{what}: {in_one_line(error)}")
        return None
