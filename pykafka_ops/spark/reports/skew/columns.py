"""The columns of the skew report: what each figure is."""

from __future__ import annotations

from typing import Final

from pykafka_ops.analysis.sampled import ALL, NOISE, SAMPLE
from pykafka_ops.analysis.skew import BANDS, SEVERE
from pykafka_ops.spark.model import Column

_TOPIC: Final = Column("topic", "Topic")
_PARTITION: Final = Column("partition", "Partition", kind="number")
_BROKER: Final = Column("broker", "Broker", kind="number")
_RACK: Final = Column("rack", "Rack", doc="The broker's rack; empty where it has none.", spare=True)
_RECORDS: Final = Column(
    "records", "Records", "records",
    "Records in the log, control records left out; of a cluster alone and with --sample, offsets"
    " from start to end; empty: not known.",
)  # fmt: skip
_BYTES: Final = Column(
    "bytes",
    "Bytes",
    "bytes",
    "On disk, of one replica per partition, compressed as they are; empty: not known.",
)
_RATE: Final = Column(
    "bytes_per_second", "Rate", "bytes/s",
    "Bytes written over the span from the topic's first to its last record.",
)  # fmt: skip
_AVERAGE: Final = Column("average_size", "Average", "bytes", "Bytes on disk per record.")
_SKEW: Final = Column(
    "skew_percent", "Skew", "percent", "How far the bytes are from the mean, in percent of it."
)
_ALL_BYTES: Final = Column("bytes", "Bytes", "bytes", "Of all replicas there.")
_REPLICAS: Final = Column("replicas", "Replicas", kind="number")
_LEADERS: Final = Column(
    "leaders", "Leaders", doc="Partitions that are led from there.", kind="number"
)
_LEADER_BYTES: Final = Column("leader_bytes", "Led", "bytes", "Bytes of the replicas that lead.")

TOPICS: Final = (
    _TOPIC,
    Column("partitions", "Partitions", kind="number"),
    Column("unknown_partitions", "Unknown", kind="number", detail=True,
           doc="Partitions of which nobody tells bytes or records: sums and rates are at least"
           " those shown, the spread is that of what is known."),
    _RECORDS,
    _BYTES,
    Column("max_over_mean", "Max/mean", kind="number",
           doc="Bytes of the largest partition over the mean; empty, as the two beside it: not"
           " known of any."),
    Column(
        "cv", "CV",
        doc="Coefficient of variation of the bytes: their standard deviation over their mean.",
        kind="number"),
    Column(
        "gini", "Gini",
        doc="Of the bytes: 0 where all partitions hold the same, towards 1 where one holds all.",
        kind="number"),
    Column("records_max_over_mean", "Max/mean records", doc="As above, of records.", detail=True,
           kind="number"),
    Column("records_cv", "CV of records", doc="As above, of records.", detail=True, kind="number"),
    Column("records_gini", "Gini of records", doc="As above, of records.", detail=True,
           kind="number"),
    Column("band", "Spread",
           doc="By CV: even to 0.2, uneven to 0.5, skewed to 1, then severe; empty: not known.",
           values=(*(name for _, name in BANDS), SEVERE)),
    _AVERAGE,
    Column(
        "compression_ratio", "Compression",
        doc="Keys and values before compression over bytes on disk, where records were read; "
        "1 without compression.",
    ),
    Column("codecs", "Codecs", doc="Of the batches, the one with most bytes first.", detail=True),
    _RATE,
    Column(
        "peak_bytes_per_second", "Peak", "bytes/s",
        "The rate of the fullest window of time, or of all where it took less than a window.",
    ),
    Column(
        "advised_partitions", "Advised",
        doc="Partitions it takes for the target rate (or the peak): the greater of target over what"
        " one partition takes from producers, and over what one consumer reads.", kind="number"),
    Column("sampled", "Sampled", "share",
           "Of the topic's bytes those that --sample reads; all of a small topic.", spare=True),
    Column("advice", "Advice", spare=True),
)  # fmt: skip
PARTITIONS: Final = (
    _TOPIC,
    _PARTITION,
    Column("leader", "Leader", kind="number"),
    Column("rack", "Rack", doc="That of the leader.", detail=True, spare=True),
    _RECORDS,
    _BYTES,
    Column("share", "Share", "share", "Of the topic's bytes, as far as they are known."),
    Column("ratio_to_mean", "Of mean", doc="Bytes over the mean of the topic's partitions.",
           kind="number"),
    Column(
        "hot", "Hot",
        doc="Whether it stands out: twice the mean, or a quarter and two deviations above it.",
        kind="flag"),
    _AVERAGE,
    _RATE,
    Column("records_per_second", "Records/s", "records/s", "Over the same span.", detail=True),
    Column("null_keys", "Without key", "records", "Records without key.", detail=True),
    Column(
        "unique_keys", "Keys", doc="Different keys, give or take 2.3 % (HyperLogLog).", detail=True,
        kind="number"),
    Column("size_p50", "Median size", "bytes", "Of key and value, uncompressed.", detail=True),
    Column("size_p95", "p95 size", "bytes", "95 % of records are no larger.", detail=True),
    Column("size_p99", "p99 size", "bytes", "99 % of records are no larger.", detail=True),
)  # fmt: skip
WINDOWS: Final = (
    _TOPIC,
    _PARTITION,
    Column("start", "Start", "ms", "Begin of the window."),
    Column("records", "Records", "records", "Whose batch has its newest timestamp in the window."),
    Column("bytes", "Bytes", "bytes", "Of these batches; empty: not known."),
)
BROKERS: Final = (
    _BROKER, _RACK, _REPLICAS, _LEADERS, _ALL_BYTES, _LEADER_BYTES, _SKEW
)  # fmt: skip
RACKS: Final = (
    _RACK,
    Column("brokers", "Brokers",
    kind="number"), _REPLICAS, _LEADERS, _ALL_BYTES, _LEADER_BYTES, _SKEW
)  # fmt: skip
LOG_DIRS: Final = (
    _BROKER,
    Column("log_dir", "Directory"),
    _REPLICAS,
    _ALL_BYTES,
    Column("total_bytes", "Volume", "bytes", "Size of the volume."),
    Column("usable_bytes", "Free", "bytes", "What is free there."),
    Column(
        "skew_percent", "Skew", "percent",
        "How far the bytes are from the mean of the broker's directories.",
    ),
)  # fmt: skip
KEYS: Final = (
    _TOPIC,
    Column("key", "Key", doc="As text where it is, else in hexadecimal digits."),
    Column("records", "Records", "records",
           "Records with the key that were counted; of a sample an estimate for all."),
    Column("bytes", "Bytes", "bytes", "Their keys and values, uncompressed; likewise."),
    Column("share", "Share", "share", "Of the topic's keys and values.",
           band=("share_low", "share_high")),
    Column("share_low", "Share at least", "share",
           "The lower end of the share: of a sample that of its band of 95 %. --fail-on "
           "'share>0.1' asks for it.", detail=True),
    Column("share_high", "Share at most", "share",
           "The upper end, likewise, for --fail-on 'share<0.1'.", detail=True),
    Column("error", "Error", "bytes", "Bytes that the key may have beyond those counted."),
    Column("basis", "Basis", values=(ALL, SAMPLE, NOISE), detail=True,
           doc="all: every record was read; sample: an estimate; noise: in too few places of the "
           "sample to be told from noise."),
    Column(
        "partitions",
        "In",
        doc="Where it is, with the share of its bytes.",
        detail=True,
        kind="list",
    ),
)  # fmt: skip
MOVES: Final = (
    _TOPIC,
    _PARTITION,
    Column("from", "From", doc="The broker a replica leaves.", kind="number"),
    Column("to", "To", doc="The broker it goes to.", kind="number"),
    Column("bytes", "Bytes", "bytes", "What is copied."),
)
