"""The columns of the lag report: what each figure is."""

from __future__ import annotations

from typing import Final

from pykafka_ops.analysis.commits.burrow import ORDER
from pykafka_ops.analysis.lag.rows import STATUSES
from pykafka_ops.spark.model import Column

_GROUP: Final = Column(
    "group", "Group", doc="The consumer group, or the Spark job of a checkpoint."
)
_TOPIC: Final = Column("topic", "Topic")
_PARTITION: Final = Column("partition", "Partition", kind="number")
_LAG: Final = Column(
    "lag", "Lag", "records",
    "Records between the committed offset and the end of the log, where both are known.",
)  # fmt: skip
_UNKNOWN: Final = Column(
    "unknown_partitions", "Unknown", kind="number",
    doc="Partitions whose lag is not known: nothing committed, no leader, or a verdict of AHEAD.",
    detail=True,
)  # fmt: skip
_MAX_LAG: Final = Column(
    "max_lag", "Largest lag", "records", "The lag of the partition that is worst off."
)
_STATE: Final = Column(
    "state", "State", detail=True,
    doc="As Kafka reports it; Unknown where only files are read, Spark for jobs with a checkpoint.",
)  # fmt: skip
_LAST_COMMIT: Final = Column(
    "last_commit", "Last commit", "ms", "When offsets were committed last, in the span read."
)
_SINCE: Final = Column(
    "since", "Since", "ms", "Since when the verdict holds, where it is no OK.", spare=True
)
_PARTITIONS: Final = Column("partitions", "Partitions", kind="number")
_RATE_IN: Final = Column(
    "rate_in", "In/s", "records/s", "Records written per second, over the window."
)
_FIGURES: Final = (
    Column(
        "lag_seconds", "Behind", "seconds",
        "How much older the next record to read is than the newest one; from the ends of the log "
        "at some moments, in proportion, where that record is not looked at. Empty: not known, or "
        "clocks say that it is the younger one.",
    ),
    _RATE_IN,
    Column(
        "rate_out", "Out/s", "records/s",
        "Offsets committed per second, between the first and the last commit in the window.",
    ),
    Column(
        "catch_up_seconds", "Caught up in", "seconds",
        "Lag over the difference of both rates; of a group that of its slowest partition. Empty: "
        "never at these rates, or not known.",
    ),
    Column(
        "lead", "Lead", "records",
        "Records between the log's start and the committed offset; below 0 they are lost.",
        detail=True,
    ),
    Column(
        "status", "Verdict", values=STATUSES,
        doc="From the last 10 commits: OK; WARN falls further behind each time; STALL commits the "
        "same offset; STOP no longer commits; REWIND went back; LOST has records deleted unread; "
        "AHEAD has committed an offset behind the end of the log, which was cut or made anew; "
        "UNKNOWN has too few commits to judge, an unknown lag, or commits from a clock that is "
        "more than 5 minutes ahead.",
    ),
)  # fmt: skip

PARTITIONS: Final = (
    _GROUP,
    _STATE,
    _TOPIC,
    _PARTITION,
    Column("client_id", "Client", doc="Who reads it now; empty if nobody does.", detail=True,
           spare=True),
    Column("current_offset", "Committed", doc="The offset the group goes on from.", detail=True,
           kind="number"),
    Column("log_end_offset", "End", doc="The offset of the next record written.", detail=True,
           kind="number"),
    _LAG,
    *_FIGURES,
    _SINCE,
    _LAST_COMMIT,
    Column("last_commit_age_seconds", "Ago", "seconds", "How long ago that was; empty if a "
           "clock more than 5 minutes ahead gave that time.", detail=True),
    Column(
        "loss_in_seconds", "Safe for", "seconds",
        "Until retention deletes the record at the committed offset with its whole segment, by age "
        "or, at the rate of the last day, by size; ∞: never.",
    ),
    Column(
        "retained_share", "Unread", "share", "Lag over the records the log holds.", detail=True
    ),
)  # fmt: skip
GROUPS: Final = (
    _GROUP,
    _STATE,
    _PARTITIONS,
    _UNKNOWN,
    _LAG,
    _MAX_LAG,
    *_FIGURES,
    _SINCE,
    _LAST_COMMIT,
)
TOPICS: Final = (
    _TOPIC,
    Column("groups", "Groups", doc="Groups with an offset in it.", kind="number"),
    Column(
        "partitions", "Partitions", doc="Partitions that a group has an offset in.", kind="number"
    ),
    _UNKNOWN,
    _LAG,
    _MAX_LAG,
    Column("rate_in", "In/s", "records/s", "Records written per second to all its partitions."),
    Column("status", "Verdict", values=STATUSES, doc="The worst of all its partitions."),
)
SILENT: Final = (
    _GROUP,
    Column("last_commit", "Last commit", "ms", "Empty: before the span read."),
    Column("silence_seconds", "Silent for", "seconds"),
    _LAG,
    _UNKNOWN,
    Column("status", "Verdict", values=STATUSES, doc="Of the group."),
)
UNREAD: Final = (
    _TOPIC,
    _PARTITIONS,
    Column("records", "Records", "records", "Records that its logs hold, by their offsets."),
    Column("rate_in", "In/s", "records/s", "Records written per second, over the window."),
)
OVER_TIME: Final = (
    _GROUP,
    Column("start", "From", "ms"),
    Column("end", "To", "ms"),
    Column("commits", "Commits", kind="number"),
    Column("moved", "Moved", "records", "Offsets it went forward."),
    Column("lag", "Lag", "records", "At the end; empty where the logs' ends then are not known."),
    Column("status", "Verdict", doc="At the end, by the same rules.", values=ORDER),
)
