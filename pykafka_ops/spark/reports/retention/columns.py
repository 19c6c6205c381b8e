"""The columns of the retention report: what each figure is."""

from __future__ import annotations

from typing import Final

from pykafka_ops.analysis import compaction, retention
from pykafka_ops.analysis.lag import unread
from pykafka_ops.spark.model import Column

_TOPIC: Final = Column("topic", "Topic")
_PARTITION: Final = Column("partition", "Partition", kind="number")
_BROKER: Final = Column("broker", "Broker", kind="number")
_DIR: Final = Column("log_dir", "Directory")

TOPICS: Final = (
    _TOPIC,
    Column("cleanup_policy", "Policy", doc="cleanup.policy.",
           values=("delete", "compact", "compact,delete")),
    Column("retention_ms", "Time limit", doc="retention.ms; -1: none.", detail=True, kind="number"),
    Column("retention_bytes", "Size limit", doc="retention.bytes of a partition; -1: none.",
           detail=True, kind="number"),
    Column("segment_ms", "Segment time", doc="segment.ms.", detail=True, kind="number"),
    Column("segment_bytes", "Segment size", doc="segment.bytes.", detail=True, kind="number"),
    Column("oldest", "Oldest", "ms", "The oldest record."),
    Column("newest", "Newest", "ms", "The newest record.", detail=True),
    Column("age_seconds", "Age", "seconds",
           "Of the oldest record; empty if that lies in the future."),
    Column("age_share", "Of limit", "share",
           "Age over the time limit; above 1 it is older; empty: no limit.", spare=True),
    Column("bytes", "Bytes", "bytes", "On disk, of one replica per partition."),
    Column("unknown_partitions", "Unknown partitions", kind="number", detail=True,
           doc="Of whose bytes nobody tells; sums are of the others."),
    Column("replica_bytes", "All replicas", "bytes", "On disk, of all replicas.", detail=True),
    Column("bytes_per_hour", "B/h", "bytes",
           "Bytes written per hour, over the last one or a younger log's life; empty: a log has no"
           " timestamp."),
    Column("bytes_per_hour_day", "B/h, day", "bytes", "The same, over the last day.",
           detail=True),
    Column("bytes_per_hour_week", "B/h, week", "bytes", "The same, over the last week.",
           detail=True),
    Column("steady_bytes", "Tends to", "bytes",
           "What one replica of each partition tends to at the last day's rate; empty: no limit, or"
           " no rate."),
    Column("over_bytes", "Over", "bytes", "Bytes that are there beyond the policy."),
    Column("active_overhang_bytes", "Overhang", "bytes",
           "Bytes beyond the time limit in active segments, which go when their newest record may.",
           detail=True),
    Column("estimated", "Estimated", kind="flag", detail=True,
           doc="Whether ages and what follows from them are estimated from where the log ended at"
           " some moments: so where no segments were read. The oldest record is looked at."),
    Column("status", "Verdict", values=retention.ORDER,
           doc="ok; over: segments are due and there; blocked: a newer timestamp in front of them"
           " keeps them; overhang: a tenth is beyond the limit, for segments go whole; by-size: the"
           " size limit bites in less than half the time limit; forever: no limit; compact: only"
           " compaction; empty; unknown: nobody tells of a partition, or when it was written."),
)  # fmt: skip
AGES: Final = (
    _TOPIC,
    Column("up_to_seconds", "Up to", "seconds",
           "Age of the batch's newest record; 0: a timestamp in the future; empty: older, or no"
           " time."),
    Column("bytes", "Bytes", "bytes", "Of the batches of this age and above the one before."),
)  # fmt: skip
LEAVING: Final = (
    _TOPIC,
    Column("within_seconds", "Within", "seconds"),
    Column("bytes", "Bytes", "bytes",
           "What is there now and deleted by then, by time or size, at the last day's rate; empty:"
           " that of a log is not known."),
)  # fmt: skip
DIRS: Final = (
    _BROKER,
    _DIR,
    Column("bytes", "Logs", "bytes", "Bytes of the logs."),
    Column("total_bytes", "Volume", "bytes", "Size of the volume."),
    Column("usable_bytes", "Free", "bytes", "What is free there."),
    Column("bytes_per_day", "Per day", "bytes", "Growth of the logs over the next week; empty: that"
           " of one of them is not known, and so is all of the forecast."),
    Column("bytes_per_day_low", "at least", "bytes", "In nine of ten cases.", detail=True),
    Column("bytes_per_day_high", "at most", "bytes", "In nine of ten cases.", detail=True),
    Column("days_to_80", "80 % in", "days", "Until the volume is filled to 80 %; ∞: not in a year;"
           " empty: not known."),
    Column("days_to_full", "Full in", "days", "Until the volume is full; ∞: not in a year; empty:"
           " not known."),
    Column("days_to_full_low", "at the earliest", "days", "With the most growth.", detail=True),
    Column("days_to_full_high", "at the latest", "days", "With the least growth.", detail=True),
    Column("first_topic", "Grows most", doc="The topic that adds most in the next week.",
           spare=True),
    Column("basis", "By", values=("history", "logs"), detail=True,
           doc="history: the line through earlier runs; logs: what is written as in the last days,"
           " less what retention takes."),
)  # fmt: skip
GROWTH: Final = (
    _BROKER,
    _DIR,
    Column("time", "Time", "ms"),
    Column("bytes", "Bytes", "bytes", "Of the logs."),
    Column("low", "At least", "bytes", "In nine of ten cases.", spare=True),
    Column("high", "At most", "bytes", "In nine of ten cases.", spare=True),
    Column("forecast", "Forecast", doc="Whether it is yet to come.", kind="flag"),
)
COMPACTION: Final = (
    _TOPIC,
    _PARTITION,
    Column("clean_bytes", "Clean", "bytes", "Before the first dirty offset."),
    Column("dirty_bytes", "Dirty", "bytes", "What can be cleaned."),
    Column("dirty_ratio", "Dirty ratio", "share", "Dirty over clean and dirty, as Kafka counts."),
    Column("first_dirty_offset", "First dirty", doc="Where the cleaner goes on.", kind="number"),
    Column("uncleanable", "Not yet", "bytes",
           "Of the active segment, or younger than min.compaction.lag.ms."),
    Column("oldest_dirty", "Oldest dirty", "ms", "The oldest record that can be cleaned."),
    Column("status", "Verdict", values=compaction.ORDER,
           doc="clean; dirty: less than min.cleanable.dirty.ratio; due: more; overdue: older than"
           " max.compaction.lag.ms; stuck: due for over a day, or since the last report, and"
           " nothing was cleaned."),
)  # fmt: skip
AT_RISK: Final = (
    Column("group", "Group"),
    _TOPIC,
    _PARTITION,
    Column("lag", "Lag", "records", "Records between the committed offset and the end."),
    Column("unread_bytes", "Unread", "bytes", "On disk, in proportion inside a segment."),
    Column("oldest_unread", "Since", "ms", "About when the next record to read was written."),
    Column("deleted_in_seconds", "Deleted in", "seconds",
           "Until the segment with the next record goes; 0: with the next check; empty: it is gone"
           " or stays, as the verdict says."),
    Column("catch_up_seconds", "Caught up in", "seconds",
           "At present rates, as in the lag report; empty: never, or not known."),
    Column("records_lost", "Lost", "records", "Records that go unread at present rates; empty: when"
           " anything goes is not known."),
    Column("status", "Verdict", values=unread.ORDER,
           doc="AT_RISK: some go before the group gets there; LOSING: some are gone or go now. A"
           " group without a known rate is taken to stand. Empty: not known, for no record of the"
           " log has a time."),
)  # fmt: skip
