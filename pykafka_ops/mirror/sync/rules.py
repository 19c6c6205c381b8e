"""Access rules, quotas and users that the target lacks. Pure. Nothing is ever taken away.

Source: MirrorSourceConnector.syncTopicAcls: rules about topics by literal name; nobody gets more
than reading.
"""

from __future__ import annotations

from pykafka_ops.mirror.settings.model import LinkSettings
from pykafka_ops.mirror.sync.choice import LinkChooser
from pykafka_ops.mirror.sync.facts import MirrorFacts
from pykafka_ops.mirror.sync.plan import SetQuota, SyncPlan
from pykafka_ops.security.acls.rules import (
    WILDCARD,
    AclBinding,
    Operation,
    PatternType,
    Permission,
    ResourcePattern,
    ResourceType,
)


def plan_acls(link: LinkSettings, plan: SyncPlan, source: MirrorFacts, target: MirrorFacts) -> None:
    """Add to ``plan`` the rules about mirrored topics that the target has not."""
    if source.acls is None or target.acls is None:
        return
    chooser = LinkChooser(link)
    mirrored = {choice.topic: choice.target for choice in plan.choices if choice.mirrored}
    there = set(target.acls)
    for rule in source.acls:
        resource, entry = rule
        if (resource.type, resource.pattern) != (ResourceType.TOPIC, PatternType.LITERAL):
            continue
        if entry.permission is Permission.ALLOW and entry.operation is Operation.WRITE:
            continue
        place = _place(resource.name, chooser, mirrored)
        if place is None:
            continue
        if entry.permission is Permission.ALLOW and entry.operation is Operation.ALL:
            entry = entry._replace(operation=Operation.READ)
        wanted = AclBinding(place, entry)
        if wanted not in there:
            there.add(wanted)
            plan.acls.append(wanted)


def _place(name: str, chooser: LinkChooser, mirrored: dict[str, str]) -> ResourcePattern | None:
    """What a rule about ``name`` is about at the target. A rule about all topics of the source is
    one about all that begin with its prefix; without a prefix it would be about topics that are
    not the source's."""
    if name == WILDCARD:
        naming = chooser.naming
        if naming.identity:
            return None
        return ResourcePattern(
            ResourceType.TOPIC, f"{naming.source}{naming.separator}", PatternType.PREFIXED
        )
    target = mirrored.get(name)
    if target is None:
        return None
    return ResourcePattern(ResourceType.TOPIC, target, PatternType.LITERAL)


def plan_quotas(plan: SyncPlan, source: MirrorFacts, target: MirrorFacts) -> None:
    """Add to ``plan`` the quotas that the target has not, or has otherwise."""
    if source.quotas is None or target.quotas is None:
        return
    for entity, values in sorted(source.quotas.items(), key=repr):
        there = target.quotas.get(entity, {})
        missing = {key: value for key, value in values.items() if there.get(key) != value}
        if missing:
            plan.quotas.append(SetQuota(entity, missing))


def plan_users(
    link: LinkSettings, plan: SyncPlan, source: MirrorFacts, target: MirrorFacts
) -> None:
    """Add to ``plan`` a line for each login that the target has not: no broker tells what is
    behind a password."""
    if source.users is None or target.users is None:
        return
    for user, logins in sorted(source.users.items()):
        missing = sorted(set(logins) - set(target.users.get(user, {})))
        if missing:
            plan.notes.append(
                f"user {user} logs in with {', '.join(missing)} at {link.source} and not at "
                f"{link.target}: brokers do not tell passwords; set it with: pko users "
                f"{'alter' if user in target.users else 'add'} {user} --mechanism {missing[0]}"
            )
