"""The properties of MirrorMaker 2: which say something here, and which are understood and dropped.

Source: MirrorMakerConfig, MirrorConnectorConfig, MirrorSourceConfig, MirrorCheckpointConfig,
MirrorHeartbeatConfig, DefaultTopicFilter, DefaultGroupFilter, DefaultConfigPropertyFilter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from pykafka_ops.mirror.settings import model
from pykafka_ops.mirror.settings.read import Key, one_of, patterns, text

_CLASSES: Final = {
    "DefaultReplicationPolicy": model.PREFIX,
    "IdentityReplicationPolicy": model.IDENTITY,
}
_PACKAGE: Final = "org.apache.kafka.connect.mirror."


def _flag(value: str) -> bool:
    if value.strip().lower() not in ("true", "false"):
        raise TypeError("true or false")
    return value.strip().lower() == "true"


def _number(value: str) -> int:
    found = value.strip()
    if not re.fullmatch(r"-?[0-9]{1,9}", found) or int(found) < -1:
        raise TypeError("a whole number")
    return max(0, int(found))


def _seconds(value: str) -> int:
    found = _number(value) * 1000
    if not found:
        raise TypeError("a number of seconds above 0 (to switch it off there is .enabled)")
    return found


def _list(value: str) -> tuple[str, ...]:
    """A list of Kafka's: commas between."""
    return patterns([one.strip() for one in value.split(",") if one.strip()])


def _policy(value: str) -> str:
    short = value.strip().removeprefix(_PACKAGE)
    if short not in _CLASSES:
        raise TypeError(f"{' or '.join(_PACKAGE + name for name in _CLASSES)}")
    return _CLASSES[short]


def _reset(value: str) -> str:
    return str(one_of(*model.STARTS)(value.strip().lower()))


def _support(value: str) -> bool:
    """``exactly.once.source.support``: exactly once unless somebody switched it off."""
    return bool(one_of("disabled", "preparing", "enabled")(value.strip().lower()) != "disabled")


LINK: Final[Mapping[str, Key]] = {
    "topics": Key("topics", _list),
    "topics.exclude": Key("exclude_topics", _list),
    "topics.blacklist": Key("exclude_topics", _list),
    "groups": Key("groups", _list),
    "groups.exclude": Key("exclude_groups", _list),
    "groups.blacklist": Key("exclude_groups", _list),
    "config.properties.exclude": Key("exclude_configs", _list),
    "config.properties.blacklist": Key("exclude_configs", _list),
    "replication.factor": Key("replication_factor", _number),
    "replication.policy.class": Key("naming", _policy),
    "replication.policy.separator": Key("separator", text),
    "refresh.topics.enabled": Key("sync_topics", _flag),
    "refresh.topics.interval.seconds": Key("topics_every_ms", _seconds),
    "sync.topic.configs.enabled": Key("sync_configs", _flag),
    "sync.topic.configs.interval.seconds": Key("configs_every_ms", _seconds),
    "sync.topic.acls.enabled": Key("sync_acls", _flag),
    "sync.group.offsets.enabled": Key("sync_groups", _flag),
    "sync.group.offsets.interval.seconds": Key("groups_every_ms", _seconds),
    "emit.heartbeats.enabled": Key("_heartbeats", _flag),
    "emit.heartbeats.interval.seconds": Key("heartbeats_every_ms", _seconds),
    "emit.checkpoints.enabled": Key("_checkpoints", _flag),
    "emit.checkpoints.interval.seconds": Key("checkpoints_every_ms", _seconds),
    "emit.offset-syncs.enabled": Key("_offset_syncs", _flag),
    "offset-syncs.topic.location": Key("offset_syncs", one_of("source", "target")),
    "use.defaults.from": Key("defaults_from", one_of(*model.DEFAULTS_FROM)),
    "exactly.once.source.support": Key("exactly_once", _support),
    "consumer.auto.offset.reset": Key("start", _reset),
    "source.consumer.auto.offset.reset": Key("start", _reset),
}
"""Settings of a link, by name; fields with ``_`` before are taken together (``mm2``)."""

ONLY: Final = {
    "topic.filter.class": "DefaultTopicFilter",
    "group.filter.class": "DefaultGroupFilter",
    "config.property.filter.class": "DefaultConfigPropertyFilter",
}
"""Classes of which this one alone is meant; another one cannot be run here."""

DEFAULTS: Final[Mapping[str, Any]] = {
    "replication_factor": 2,
    "sync_groups": False,
    "mm2": True,
    "offset_syncs": "source",
}
"""What MirrorMaker 2 does where its file does not say, other than a link does here."""

DROPPED: Final = (
    "tasks.max", "offset.lag.max", "offset.flush.interval.ms", "offset.flush.timeout.ms",
    "replication.policy.internal.topic.separator.enabled", "refresh.groups.enabled",
    "refresh.groups.interval.seconds", "sync.topic.acls.interval.seconds", "heartbeats.topic.name",
    "key.converter", "value.converter", "header.converter", "dedicated.mode.enable.internal.rest",
    "listeners", "plugin.path", "name", "connector.class", "forwarding.admin.class",
    "add.source.alias.to.metrics", "consumer.poll.timeout.ms", "admin.timeout.ms",
    "heartbeats.topic.replication.factor", "checkpoints.topic.replication.factor",
    "offset-syncs.topic.replication.factor", "offset.storage.replication.factor",
    "status.storage.replication.factor", "config.storage.replication.factor", "group.id",
    "offset.storage.topic", "status.storage.topic", "config.storage.topic", "metric.reporters",
    "metrics.num.samples", "metrics.recording.level", "metrics.sample.window.ms",
    "auto.include.jmx.reporter", "scheduled.rebalance.max.delay.ms",
)  # fmt: skip
"""Understood: what they are about does not exist here, or does not need to be set."""
DROPPED_BEGIN: Final = (
    "producer.", "consumer.", "admin.", "source.consumer.", "target.producer.", "source.admin.",
    "target.admin.", "source.producer.", "target.consumer.", "rest.", "transforms", "predicates",
    "errors.", "offset.storage.", "status.storage.", "config.storage.", "key.converter.",
    "value.converter.", "header.converter.", "metrics.context.", "listeners.", "connector.client.",
)  # fmt: skip
CLIENT_BEGIN: Final = ("security.", "sasl.", "ssl.")
CLIENT: Final = ("bootstrap.servers", "client.dns.lookup", "client.id", "request.timeout.ms",
                 "retry.backoff.ms", "socket.connection.setup.timeout.ms",
                 "socket.connection.setup.timeout.max.ms", "default.api.timeout.ms",
                 "reconnect.backoff.ms", "connections.max.idle.ms",
                 "metadata.max.age.ms")  # fmt: skip
"""Client properties that may stand alone, for all clusters."""


def is_client(name: str) -> bool:
    """Whether a name is that of a client property."""
    return name in CLIENT or name.startswith(CLIENT_BEGIN)


def is_dropped(name: str) -> bool:
    """Whether a name is understood and means nothing here."""
    return name in DROPPED or name.startswith(DROPPED_BEGIN)
