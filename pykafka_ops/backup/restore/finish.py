"""What a restore does once all records are there: settings, groups, rules, quotas."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from pykafka_ops.backup.chain import Partition
from pykafka_ops.backup.manifest import GroupEntry, QuotaEntry, RuleEntry
from pykafka_ops.backup.restore.plan import WHILE_RESTORED, RestorePlan, TopicRestore
from pykafka_ops.client.acls import create_acls
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.configs import TOPIC, AlterOp, ConfigResource, alter_configs
from pykafka_ops.client.failure_text import in_one_line
from pykafka_ops.client.group_offsets import Committed, commit_offsets
from pykafka_ops.client.quotas import alter_quotas
from pykafka_ops.errors import PkoError
from pykafka_ops.mirror.groups.translation import KnownCopy, TranslatedCommit, place_of
from pykafka_ops.security.acls.rules import (
    AclBinding,
    AclEntry,
    Operation,
    PatternType,
    Permission,
    ResourcePattern,
    ResourceType,
)

Notes = list[str]


def give_settings(cluster: Cluster, topics: Sequence[TopicRestore]) -> Notes:
    """Give topics the settings that they had; what went wrong."""
    changes = {
        ConfigResource(TOPIC, one.target): [
            (AlterOp.SET, key, one.topic.configs[key])
            if key in one.topic.configs
            else (AlterOp.DELETE, key, None)
            for key in WHILE_RESTORED
        ]
        for one in topics
    }
    found = alter_configs(cluster, changes) if changes else {}
    return [
        f"settings of {resource.name}: {in_one_line(error)}"
        for resource, error in found.items()
        if error is not None
    ]


def translated(
    group: GroupEntry,
    names: Mapping[str, str],
    known: KnownCopy,
    ends: Mapping[Partition, int],
) -> list[TranslatedCommit]:
    """The offsets of a group at the target; ``names``: of restored topics there, ``ends``: of their
    logs, where a group goes that had read everything: behind the markers of transactions, too."""
    found = []
    for c in group.commits:
        if c.topic not in names:
            continue
        target = names[c.topic], c.partition
        one = place_of(
            (c.topic, c.partition), target[0], Committed(c.offset, -1, c.metadata), known
        )
        if target in ends and c.offset >= known.positions.get(target, c.offset + 1):
            one = one._replace(target=ends[target])
        found.append(one)
    return found


def give_offsets(cluster: Cluster, group: str, commits: Sequence[TranslatedCommit]) -> Notes:
    """Commit what could be translated; what could not, or was refused."""
    notes = [
        f"group {group}, {c.source_topic}-{c.partition}: offset {c.source} is older than what the "
        "backup holds: it is not set"
        for c in commits
        if c.target < 0 and c.source
    ]
    wanted: dict[Partition, Committed] = {
        (c.topic, c.partition): Committed(c.target, -1, c.metadata)
        for c in commits
        if c.target >= 0
    }
    if not wanted:
        return notes
    results = commit_offsets(cluster, group, wanted)
    if isinstance(results, PkoError):
        return [*notes, f"group {group}: {in_one_line(results)}"]
    return notes + [
        f"group {group}, {topic}-{partition}: {in_one_line(error)}"
        for (topic, partition), error in results.items()
        if error is not None
    ]


def give_rest(cluster: Cluster, plan: RestorePlan) -> Notes:
    """Rules and quotas; what went wrong."""
    notes = _tried("access rules", partial(_give_rules, cluster, plan.rules)) if plan.rules else []
    if plan.quotas:
        notes += _tried("quotas", partial(_give_quotas, cluster, plan.quotas))
    return notes


def _give_rules(cluster: Cluster, rules: Sequence[RuleEntry]) -> Notes:
    found = create_acls(cluster, [binding_of(rule) for rule in rules])
    return [
        f"access rule for {rule.principal} on {rule.type} {rule.name}: {in_one_line(error)}"
        for rule, error in zip(rules, found, strict=True)
        if error is not None
    ]


def binding_of(rule: RuleEntry) -> AclBinding:
    """The rule as it is asked for. PkoError for words that are none of Kafka's."""
    try:
        return AclBinding(
            ResourcePattern(ResourceType[rule.type], rule.name, PatternType[rule.pattern]),
            AclEntry(
                rule.principal, rule.host, Operation[rule.operation], Permission[rule.permission]
            ),
        )
    except KeyError as error:
        raise PkoError(f"the backup has an access rule with the unknown word {error}") from None


def _give_quotas(cluster: Cluster, quotas: Sequence[QuotaEntry]) -> Notes:
    found = alter_quotas(cluster, {quota.entity: quota.values for quota in quotas})
    return [
        f"quota of {dict(entity)}: {in_one_line(error)}"
        for entity, error in found.items()
        if error is not None
    ]


def _tried(what: str, give: Callable[[], Notes]) -> Notes:
    try:
        return give()
    except PkoError as error:
        return [f"{what}: {in_one_line(error)}"]
