"""The settings of one topic as typed values, for storage and replication.

Counterpart of ``org.apache.kafka.storage.internals.log.LogConfig``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pykafka_ops.settings.topic import TOPIC
from pykafka_ops.settings.versions import message_magic

MAX_LONG = 2**63 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicConfig:
    """Every topic setting, named as Kafka's with underscores; defaults are Kafka's.

    ``*_ms`` are milliseconds, ``*_bytes`` bytes, -1 means unlimited where Kafka says so.
    """

    cleanup_policy: frozenset[str] = frozenset({"delete"})
    compression_gzip_level: int = -1
    compression_lz4_level: int = 9
    compression_type: str = "producer"
    compression_zstd_level: int = 3
    delete_retention_ms: int = 86_400_000
    file_delete_delay_ms: int = 60_000
    flush_messages: int = MAX_LONG
    flush_ms: int = MAX_LONG
    follower_replication_throttled_replicas: tuple[str, ...] = ()
    index_interval_bytes: int = 4096
    leader_replication_throttled_replicas: tuple[str, ...] = ()
    local_retention_bytes: int = -2
    local_retention_ms: int = -2
    max_compaction_lag_ms: int = MAX_LONG
    max_message_bytes: int = 1_048_588
    message_downconversion_enable: bool = True
    message_format_version: str = "3.0-IV1"
    message_timestamp_after_max_ms: int = MAX_LONG
    message_timestamp_before_max_ms: int = MAX_LONG
    message_timestamp_difference_max_ms: int = MAX_LONG
    message_timestamp_type: str = "CreateTime"
    min_cleanable_dirty_ratio: float = 0.5
    min_compaction_lag_ms: int = 0
    min_insync_replicas: int = 1
    preallocate: bool = False
    remote_log_copy_disable: bool = False
    remote_log_delete_on_disable: bool = False
    remote_storage_enable: bool = False
    retention_bytes: int = -1
    retention_ms: int = 604_800_000
    segment_bytes: int = 1_073_741_824
    segment_index_bytes: int = 10_485_760
    segment_jitter_ms: int = 0
    segment_ms: int = 604_800_000
    unclean_leader_election_enable: bool = False

    @classmethod
    def of(cls, values: Mapping[str, str]) -> TopicConfig:
        """From texts by topic setting name (``retention.ms``); what is missing has Kafka's default.

        Names that are no topic setting are ignored, as Kafka does when it loads a topic that
        a newer release wrote. Raises SettingError if a value does not fit.
        """
        typed: dict[str, Any] = {}  # of the fields' types: a test compares both tables
        for name, text in values.items():
            if name not in TOPIC:
                continue
            value = TOPIC[name].parse(text)
            typed[_FIELDS[name]] = value
            if name == "cleanup.policy" and isinstance(value, tuple):
                typed[_FIELDS[name]] = frozenset(value)
        return dataclasses.replace(cls(), **typed)

    @property
    def compacts(self) -> bool:
        """Whether the log is compacted by key."""
        return "compact" in self.cleanup_policy

    @property
    def deletes(self) -> bool:
        """Whether whole segments go by age or size."""
        return "delete" in self.cleanup_policy

    @property
    def max_segment_ms(self) -> int:
        """Age at which a segment is closed (ms): a compacted log must not keep records from the
        cleaner for longer than ``max.compaction.lag.ms``."""
        if self.compacts and self.max_compaction_lag_ms > 0:
            return min(self.max_compaction_lag_ms, self.segment_ms)
        return self.segment_ms

    @property
    def log_append_time(self) -> bool:
        """Whether the broker's clock stamps the records."""
        return self.message_timestamp_type == "LogAppendTime"

    @property
    def own_bytes(self) -> int:
        """Up to which size (bytes) a batch that the broker made itself needs no check, rewrite or
        flush; -1 if each one does."""
        usual = (
            not self.log_append_time
            and self.compression_type == "producer"
            and self.flush_messages >= MAX_LONG
        )
        return min(self.max_message_bytes, self.segment_bytes) if usual else -1

    @property
    def before_max_ms(self) -> int:
        """Oldest allowed record time, in ms before now; the older ``difference`` limit counts
        where ``before`` is not set (KIP-937)."""
        if self.message_timestamp_before_max_ms != MAX_LONG:
            return self.message_timestamp_before_max_ms
        return self.message_timestamp_difference_max_ms

    @property
    def after_max_ms(self) -> int:
        """Newest allowed record time, in ms after now; see ``before_max_ms``."""
        if self.message_timestamp_after_max_ms != MAX_LONG:
            return self.message_timestamp_after_max_ms
        return self.message_timestamp_difference_max_ms

    @property
    def magic(self) -> int:
        """Record format of the log: 2, unless the broker runs an inter-broker protocol < 3.0."""
        return message_magic(self.message_format_version)


_FIELDS = {name: name.replace(".", "_") for name in TOPIC}
