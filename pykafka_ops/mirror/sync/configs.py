"""Settings of topics at the target that are to become those of the source. Pure.

Source: MirrorSourceConnector.targetConfig, incrementalAlterConfigs.
"""

from __future__ import annotations

from collections.abc import Iterable

from pykafka_ops.client.configs import AlterOp, ConfigEntry
from pykafka_ops.mirror.settings.model import LinkSettings
from pykafka_ops.mirror.sync.choice import Patterns
from pykafka_ops.mirror.sync.facts import MirrorFacts
from pykafka_ops.mirror.sync.plan import SetConfigs, SyncPlan
from pykafka_ops.settings.source import ConfigSource

Wanted = dict[str, tuple[AlterOp, str | None]]


def wanted_configs(link: LinkSettings, entries: Iterable[ConfigEntry]) -> Wanted:
    """What the settings of a topic of the source mean for the target: set, or not set there.

    Left out: excluded ones, those that cannot be read or changed, and what brokers of the source
    have in their files.
    """
    excluded = Patterns(link.exclude_configs, "exclude-configs")
    wanted: Wanted = {}
    for entry in entries:
        if entry.read_only or entry.sensitive or excluded.first(entry.name) is not None:
            continue
        if entry.source == ConfigSource.STATIC_BROKER_CONFIG:
            continue
        if entry.source == ConfigSource.DEFAULT_CONFIG and link.defaults_from == "target":
            wanted[entry.name] = AlterOp.DELETE, None
        elif entry.value is not None:
            wanted[entry.name] = AlterOp.SET, entry.value
    return wanted


def plan_configs(
    link: LinkSettings, plan: SyncPlan, source: MirrorFacts, target: MirrorFacts
) -> None:
    """Add to ``plan`` what differs for topics that are on both sides."""
    if source.configs is None or target.configs is None:
        return
    unknown: set[str] = set()
    for choice in plan.choices:
        here, there = source.configs.get(choice.topic), target.configs.get(choice.target)
        if not choice.mirrored or here is None or there is None:
            continue
        current = {e.name: e for e in there}
        own = {e.name: e.value for e in there if e.source == ConfigSource.DYNAMIC_TOPIC_CONFIG}
        changes: list[tuple[AlterOp, str, str | None]] = []
        for key, (op, value) in wanted_configs(link, here).items():
            if key not in current:
                unknown |= {key} if op is AlterOp.SET else set()
            elif op is AlterOp.DELETE and key in own:
                changes.append((op, key, None))
            elif op is AlterOp.SET and (key not in own or own[key] != value):
                changes.append((op, key, value))
        if changes:
            now = {key: own.get(key) for _, key, _ in changes}
            plan.configs.append(SetConfigs(choice.target, tuple(changes), now))
    plan.notes += [
        f"{link.target} knows no setting {key}: topics have it at {link.source} alone"
        for key in sorted(unknown)
    ]
