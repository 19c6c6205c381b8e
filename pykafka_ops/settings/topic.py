"""The 36 topic settings of Kafka 3.9, in the order a broker sends them in DescribeConfigs.

A ``Synonym`` is a broker setting that gives the default, the first one set wins (counterpart:
LogConfig and ServerTopicConfigSynonyms).
"""

from __future__ import annotations

from pykafka_ops.settings.rows import (
    BOOLEAN,
    DOUBLE,
    INT,
    LIST,
    LONG,
    MAX_LONG,
    REFUSE,
    STRING,
    WARN,
    row,
    table,
)
from pykafka_ops.settings.setting import Synonym
from pykafka_ops.settings.validators import (
    LevelOrDefault,
    OneOf,
    Range,
    metadata_version,
    throttled_replicas,
)

MINUTE_MS = 60_000
HOUR_MS = 3_600_000
COMPRESSION_TYPES = OneOf(("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"))
GZIP_LEVEL = LevelOrDefault(1, 9, -1)
LZ4_LEVEL = Range(1, 17)
ZSTD_LEVEL = Range(-131072, 22)
CLEANUP_POLICIES = OneOf(("compact", "delete"))
TIMESTAMP_TYPES = OneOf(("CreateTime", "LogAppendTime"))

# fmt: off
TOPIC = table(
    row("compression.type", STRING, "producer", COMPRESSION_TYPES, Synonym("compression.type"),
        doc="Codec the log is stored in; `producer` keeps what the producer sent."),
    row("remote.log.delete.on.disable", BOOLEAN, False, WARN,
        doc="Whether to delete remote segments when tiering is disabled."),
    row("leader.replication.throttled.replicas", LIST, "", throttled_replicas,
        doc="Replicas (partition:broker, or *) whose leader side is throttled."),
    row("remote.storage.enable", BOOLEAN, False, REFUSE,
        doc="Whether segments of the topic are also kept in remote storage."),
    row("message.downconversion.enable", BOOLEAN, True,
        Synonym("log.message.downconversion.enable"),
        doc="Whether records are converted down for old consumers."),
    row("min.insync.replicas", INT, 1, Range(1), Synonym("min.insync.replicas"),
        doc="Replicas that must be in sync before a write with acks=all succeeds."),
    row("segment.jitter.ms", LONG, 0, Range(0), Synonym("log.roll.jitter.ms"),
        Synonym("log.roll.jitter.hours", HOUR_MS),
        doc="Largest random time in ms by which a roll by age comes earlier."),
    row("remote.log.copy.disable", BOOLEAN, False, WARN,
        doc="Whether remote data of the topic is read-only."),
    row("local.retention.ms", LONG, -2, Range(-2), WARN, Synonym("log.local.retention.ms"),
        doc="Time in ms a tiered segment stays on local disk; -2 is retention.ms."),
    row("cleanup.policy", LIST, "delete", CLEANUP_POLICIES, Synonym("log.cleanup.policy"),
        doc="How old data goes: `delete` by age or size, `compact` by key, or both."),
    row("flush.ms", LONG, MAX_LONG, Range(0), Synonym("log.flush.interval.ms"),
        Synonym("log.flush.scheduler.interval.ms"),
        doc="Longest time in ms that appended records stay unflushed."),
    row("follower.replication.throttled.replicas", LIST, "", throttled_replicas,
        doc="Replicas (partition:broker, or *) whose follower side is throttled."),
    row("compression.lz4.level", INT, 9, LZ4_LEVEL, Synonym("compression.lz4.level"),
        doc="Level of lz4 compression when compression.type is `lz4`."),
    row("segment.bytes", INT, 1_073_741_824, Range(14), Synonym("log.segment.bytes"),
        doc="Size in bytes at which a segment file is closed and a new one begun."),
    row("retention.ms", LONG, 604_800_000, Range(-1), Synonym("log.retention.ms"),
        Synonym("log.retention.minutes", MINUTE_MS), Synonym("log.retention.hours", HOUR_MS),
        doc="Time in ms after which a segment may be deleted; -1 keeps it for ever."),
    row("compression.gzip.level", INT, -1, GZIP_LEVEL, Synonym("compression.gzip.level"),
        doc="Level of gzip compression when compression.type is `gzip`."),
    row("flush.messages", LONG, MAX_LONG, Range(1), Synonym("log.flush.interval.messages"),
        doc="Records after which the log is flushed to disk."),
    row("compression.zstd.level", INT, 3, ZSTD_LEVEL, Synonym("compression.zstd.level"),
        doc="Level of zstd compression when compression.type is `zstd`."),
    row("message.format.version", STRING, "3.0-IV1", metadata_version,
        Synonym("log.message.format.version"),
        doc="Release whose record format the log is stored in."),
    row("max.compaction.lag.ms", LONG, MAX_LONG, Range(1),
        Synonym("log.cleaner.max.compaction.lag.ms"),
        doc="Longest time in ms a record may stay out of compaction."),
    row("file.delete.delay.ms", LONG, 60000, Range(0), Synonym("log.segment.delete.delay.ms"),
        doc="Time in ms between marking a file as deleted and removing it."),
    row("max.message.bytes", INT, 1_048_588, Range(0), Synonym("message.max.bytes"),
        doc="Largest record batch accepted, in bytes."),
    row("min.compaction.lag.ms", LONG, 0, Range(0), Synonym("log.cleaner.min.compaction.lag.ms"),
        doc="Shortest time in ms a record stays out of compaction."),
    row("message.timestamp.type", STRING, "CreateTime", TIMESTAMP_TYPES,
        Synonym("log.message.timestamp.type"),
        doc="Whether records keep the producer's time or get the broker's."),
    row("local.retention.bytes", LONG, -2, Range(-2), WARN, Synonym("log.local.retention.bytes"),
        doc="Local size in bytes of a tiered partition; -2 is retention.bytes."),
    row("preallocate", BOOLEAN, False, Synonym("log.preallocate"),
        doc="Whether a new segment file gets its full size at once."),
    row("min.cleanable.dirty.ratio", DOUBLE, 0.5, Range(0, 1),
        Synonym("log.cleaner.min.cleanable.ratio"),
        doc="Share of uncompacted log at which compaction starts, 0 to 1."),
    row("index.interval.bytes", INT, 4096, Range(0), Synonym("log.index.interval.bytes"),
        doc="Bytes appended between two entries of the offset index."),
    row("unclean.leader.election.enable", BOOLEAN, False, Synonym("unclean.leader.election.enable"),
        doc="Whether a replica out of sync may lead, at the price of lost records."),
    row("retention.bytes", LONG, -1, Synonym("log.retention.bytes"),
        doc="Size in bytes a partition may grow to before old segments go; -1: any."),
    row("delete.retention.ms", LONG, 86_400_000, Range(0),
        Synonym("log.cleaner.delete.retention.ms"),
        doc="Time in ms a tombstone stays in a compacted log."),
    row("message.timestamp.after.max.ms", LONG, MAX_LONG, Range(0),
        Synonym("log.message.timestamp.after.max.ms"),
        doc="How far in ms a record's time may lie in the future."),
    row("message.timestamp.before.max.ms", LONG, MAX_LONG, Range(0),
        Synonym("log.message.timestamp.before.max.ms"),
        doc="How far in ms a record's time may lie in the past."),
    row("segment.ms", LONG, 604_800_000, Range(1), Synonym("log.roll.ms"),
        Synonym("log.roll.hours", HOUR_MS),
        doc="Age in ms at which a segment is closed even if it is not full."),
    row("message.timestamp.difference.max.ms", LONG, MAX_LONG, Range(0),
        Synonym("log.message.timestamp.difference.max.ms"),
        doc="Allowed distance in ms between a record's time and the broker's (old form of the"
        " before and after limits)."),
    row("segment.index.bytes", INT, 10_485_760, Range(4), Synonym("log.index.size.max.bytes"),
        doc="Largest size in bytes of a segment's index file."),
)
# fmt: on
