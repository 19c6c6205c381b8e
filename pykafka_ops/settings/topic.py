"""The 36 topic settings of Kafka 3.9, in the order a broker sends them in DescribeConfigs.

``synonyms`` are the broker settings that give the default, the first one set wins
(counterpart: LogConfig and ServerTopicConfigSynonyms).
"""

from __future__ import annotations

from pykafka_ops.settings.setting import Importance, Setting, Support, Synonym
from pykafka_ops.settings.types import Type
from pykafka_ops.settings.validators import (
    LevelOrDefault,
    OneOf,
    Range,
    Validator,
    metadata_version,
    throttled_replicas,
)

MAX_LONG = str(2**63 - 1)
MINUTE_MS = 60_000
HOUR_MS = 3_600_000
COMPRESSION_TYPES = OneOf(("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"))
GZIP_LEVEL = LevelOrDefault(1, 9, -1)
LZ4_LEVEL = Range(1, 17)
ZSTD_LEVEL = Range(-131072, 22)
CLEANUP_POLICIES = OneOf(("compact", "delete"))
TIMESTAMP_TYPES = OneOf(("CreateTime", "LogAppendTime"))


def _topic(
    name: str,
    kind: Type,
    default: str,
    *synonyms: str | Synonym,
    doc: str,
    check: Validator | None = None,
    support: Support = Support.HONOURED,
) -> Setting:
    return Setting(
        name=name,
        type=kind,
        default=default,
        doc=doc,
        importance=Importance.LOW if name.startswith("message.down") else Importance.MEDIUM,
        validator=check,
        support=support,
        synonyms=tuple(s if isinstance(s, Synonym) else Synonym(s) for s in synonyms),
    )


_S, _L, _I, _B = Type.STRING, Type.LONG, Type.INT, Type.BOOLEAN
_TIERED = Support.WARN

_ALL = (
    _topic(
        "compression.type",
        _S,
        "producer",
        "compression.type",
        check=COMPRESSION_TYPES,
        doc="Codec the log is stored in; `producer` keeps what the producer sent.",
    ),
    _topic(
        "remote.log.delete.on.disable",
        _B,
        "false",
        support=_TIERED,
        doc="Whether to delete remote segments when tiering is disabled.",
    ),
    _topic(
        "leader.replication.throttled.replicas",
        Type.LIST,
        "",
        check=throttled_replicas,
        doc="Replicas (partition:broker, or *) whose leader side is throttled.",
    ),
    _topic(
        "remote.storage.enable",
        _B,
        "false",
        support=Support.REFUSE,
        doc="Whether segments of the topic are also kept in remote storage.",
    ),
    _topic(
        "message.downconversion.enable",
        _B,
        "true",
        "log.message.downconversion.enable",
        doc="Whether records are converted down for old consumers.",
    ),
    _topic(
        "min.insync.replicas",
        _I,
        "1",
        "min.insync.replicas",
        check=Range(1),
        doc="Replicas that must be in sync before a write with acks=all succeeds.",
    ),
    _topic(
        "segment.jitter.ms",
        _L,
        "0",
        "log.roll.jitter.ms",
        Synonym("log.roll.jitter.hours", HOUR_MS),
        check=Range(0),
        doc="Largest random time in ms by which a roll by age comes earlier.",
    ),
    _topic(
        "remote.log.copy.disable",
        _B,
        "false",
        support=_TIERED,
        doc="Whether remote data of the topic is read-only.",
    ),
    _topic(
        "local.retention.ms",
        _L,
        "-2",
        "log.local.retention.ms",
        check=Range(-2),
        support=_TIERED,
        doc="Time in ms a tiered segment stays on local disk; -2 is retention.ms.",
    ),
    _topic(
        "cleanup.policy",
        Type.LIST,
        "delete",
        "log.cleanup.policy",
        check=CLEANUP_POLICIES,
        doc="How old data goes: `delete` by age or size, `compact` by key, or both.",
    ),
    _topic(
        "flush.ms",
        _L,
        MAX_LONG,
        "log.flush.interval.ms",
        "log.flush.scheduler.interval.ms",
        check=Range(0),
        doc="Longest time in ms that appended records stay unflushed.",
    ),
    _topic(
        "follower.replication.throttled.replicas",
        Type.LIST,
        "",
        check=throttled_replicas,
        doc="Replicas (partition:broker, or *) whose follower side is throttled.",
    ),
    _topic(
        "compression.lz4.level",
        _I,
        "9",
        "compression.lz4.level",
        check=LZ4_LEVEL,
        doc="Level of lz4 compression when compression.type is `lz4`.",
    ),
    _topic(
        "segment.bytes",
        _I,
        "1073741824",
        "log.segment.bytes",
        check=Range(14),
        doc="Size in bytes at which a segment file is closed and a new one begun.",
    ),
    _topic(
        "retention.ms",
        _L,
        "604800000",
        "log.retention.ms",
        Synonym("log.retention.minutes", MINUTE_MS),
        Synonym("log.retention.hours", HOUR_MS),
        check=Range(-1),
        doc="Time in ms after which a segment may be deleted; -1 keeps it for ever.",
    ),
    _topic(
        "compression.gzip.level",
        _I,
        "-1",
        "compression.gzip.level",
        check=GZIP_LEVEL,
        doc="Level of gzip compression when compression.type is `gzip`.",
    ),
    _topic(
        "flush.messages",
        _L,
        MAX_LONG,
        "log.flush.interval.messages",
        check=Range(1),
        doc="Records after which the log is flushed to disk.",
    ),
    _topic(
        "compression.zstd.level",
        _I,
        "3",
        "compression.zstd.level",
        check=ZSTD_LEVEL,
        doc="Level of zstd compression when compression.type is `zstd`.",
    ),
    _topic(
        "message.format.version",
        _S,
        "3.0-IV1",
        "log.message.format.version",
        check=metadata_version,
        doc="Release whose record format the log is stored in.",
    ),
    _topic(
        "max.compaction.lag.ms",
        _L,
        MAX_LONG,
        "log.cleaner.max.compaction.lag.ms",
        check=Range(1),
        doc="Longest time in ms a record may stay out of compaction.",
    ),
    _topic(
        "file.delete.delay.ms",
        _L,
        "60000",
        "log.segment.delete.delay.ms",
        check=Range(0),
        doc="Time in ms between marking a file as deleted and removing it.",
    ),
    _topic(
        "max.message.bytes",
        _I,
        "1048588",
        "message.max.bytes",
        check=Range(0),
        doc="Largest record batch accepted, in bytes.",
    ),
    _topic(
        "min.compaction.lag.ms",
        _L,
        "0",
        "log.cleaner.min.compaction.lag.ms",
        check=Range(0),
        doc="Shortest time in ms a record stays out of compaction.",
    ),
    _topic(
        "message.timestamp.type",
        _S,
        "CreateTime",
        "log.message.timestamp.type",
        check=TIMESTAMP_TYPES,
        doc="Whether records keep the producer's time or get the broker's.",
    ),
    _topic(
        "local.retention.bytes",
        _L,
        "-2",
        "log.local.retention.bytes",
        check=Range(-2),
        support=_TIERED,
        doc="Local size in bytes of a tiered partition; -2 is retention.bytes.",
    ),
    _topic(
        "preallocate",
        _B,
        "false",
        "log.preallocate",
        doc="Whether a new segment file gets its full size at once.",
    ),
    _topic(
        "min.cleanable.dirty.ratio",
        Type.DOUBLE,
        "0.5",
        "log.cleaner.min.cleanable.ratio",
        check=Range(0, 1),
        doc="Share of uncompacted log at which compaction starts, 0 to 1.",
    ),
    _topic(
        "index.interval.bytes",
        _I,
        "4096",
        "log.index.interval.bytes",
        check=Range(0),
        doc="Bytes appended between two entries of the offset index.",
    ),
    _topic(
        "unclean.leader.election.enable",
        _B,
        "false",
        "unclean.leader.election.enable",
        doc="Whether a replica out of sync may lead, at the price of lost records.",
    ),
    _topic(
        "retention.bytes",
        _L,
        "-1",
        "log.retention.bytes",
        doc="Size in bytes a partition may grow to before old segments go; -1: any.",
    ),
    _topic(
        "delete.retention.ms",
        _L,
        "86400000",
        "log.cleaner.delete.retention.ms",
        check=Range(0),
        doc="Time in ms a tombstone stays in a compacted log.",
    ),
    _topic(
        "message.timestamp.after.max.ms",
        _L,
        MAX_LONG,
        "log.message.timestamp.after.max.ms",
        check=Range(0),
        doc="How far in ms a record's time may lie in the future.",
    ),
    _topic(
        "message.timestamp.before.max.ms",
        _L,
        MAX_LONG,
        "log.message.timestamp.before.max.ms",
        check=Range(0),
        doc="How far in ms a record's time may lie in the past.",
    ),
    _topic(
        "segment.ms",
        _L,
        "604800000",
        "log.roll.ms",
        Synonym("log.roll.hours", HOUR_MS),
        check=Range(1),
        doc="Age in ms at which a segment is closed even if it is not full.",
    ),
    _topic(
        "message.timestamp.difference.max.ms",
        _L,
        MAX_LONG,
        "log.message.timestamp.difference.max.ms",
        check=Range(0),
        doc="Allowed distance in ms between a record's time and the broker's (old form of the"
        " before and after limits).",
    ),
    _topic(
        "segment.index.bytes",
        _I,
        "10485760",
        "log.index.size.max.bytes",
        check=Range(4),
        doc="Largest size in bytes of a segment's index file.",
    ),
)

TOPIC: dict[str, Setting] = {setting.name: setting for setting in _ALL}
