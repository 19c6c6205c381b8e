"""Values of settings before a change and after it, as people may see them."""

from __future__ import annotations

from typing import Final, NamedTuple

from pykafka_ops.client import configs
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.configs import AlterOp, ConfigResource, describe_configs
from pykafka_ops.errors import PkoError
from pykafka_ops.settings.source import ConfigSource

HIDDEN: Final = "[hidden]"
"""A secret."""
UNKNOWN: Final = "?"
"""What could not be read."""
DEFAULT: Final = "<default>"
"""A default that brokers do not return."""
_OWN: Final = {
    configs.TOPIC: ConfigSource.DYNAMIC_TOPIC_CONFIG,
    configs.BROKER: ConfigSource.DYNAMIC_BROKER_CONFIG,
    configs.CLIENT_METRICS: ConfigSource.DYNAMIC_CLIENT_METRICS_CONFIG,
    configs.GROUP: ConfigSource.DYNAMIC_GROUP_CONFIG,
}


class PresentValue(NamedTuple):
    """A setting: its value, what holds once it is unset (None: nothing), whether the entity has
    set it itself."""

    value: str | None
    beneath: str | None = None
    own: bool = True


def own_source(resource: ConfigResource) -> ConfigSource | None:
    """The source of what an entity sets itself; None of loggers, which have no other."""
    if resource.type == configs.BROKER and not resource.name:
        return ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG
    return _OWN.get(resource.type)


def present_values(cluster: Cluster, resource: ConfigResource) -> dict[str, PresentValue]:
    """What holds for a resource, by the name of the setting. PkoError."""
    entries = describe_configs(cluster, [resource], synonyms=True)[resource]
    if isinstance(entries, PkoError):
        raise entries
    source, found = own_source(resource), {}
    for entry in sorted(entries, key=lambda e: e.name):
        beneath = next((s.value for s in entry.synonyms if s.source != source), DEFAULT)
        own = source is None or entry.source == source
        found[entry.name] = PresentValue(entry.value, beneath, own)
    return found


def value_after(op: AlterOp, value: str | None, old: PresentValue | None) -> str | None:
    """What a change makes of a setting; ``old`` None: what it was is not known."""
    if op is AlterOp.SET:
        return value
    if old is None:
        return UNKNOWN
    if op is AlterOp.DELETE:
        return old.beneath
    items = [item for item in (old.value or "").split(",") if item]
    words = [word for word in (value or "").split(",") if word]
    if op is AlterOp.APPEND:
        return ",".join(dict.fromkeys([*items, *words]))
    return ",".join(item for item in items if item not in words)


def is_secret(key: str) -> bool:
    """Whether the value of a broker's setting is for nobody's eyes: a password, or a setting that
    no broker knows, which it keeps as one."""
    from pykafka_ops.settings.broker import BROKER
    from pykafka_ops.settings.quotas import BROKER_QUOTAS

    names = [name for name in BROKER if key == name or key.endswith(f".{name}")]
    return any(BROKER[n].sensitive for n in names) or not (names or key in BROKER_QUOTAS)
