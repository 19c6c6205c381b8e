"""The columns of the audit report: what each figure is."""

from __future__ import annotations

from typing import Final

from pykafka_ops.analysis.books.compare import STATES
from pykafka_ops.spark.model import Column

_TOPIC: Final = Column("topic", "Topic")
_PARTITION: Final = Column("partition", "Partition", kind="number", spare=True)
_BUCKET: Final = Column("bucket", "Bucket", "ms",
                        "Where it begins, by the records' timestamps; empty: they have none.",
                        spare=True)  # fmt: skip
_STATE: Final = Column(
    "state", "State", values=STATES,
                       doc="missing: B has fewer records than A; extra: more; altered: as many,"
                       " but not the same; reordered: the same in another order; open: its time"
                       " is not over; partial: some were deleted before they were counted.",
)  # fmt: skip

PARTITIONS: Final = (
    _TOPIC,
    _PARTITION,
    _STATE,
    Column("records_a", "Records A", "records"),
    Column("records_b", "Records B", "records"),
    Column("missing", "Missing", "records", "In B, of those in A: at least."),
    Column("extra", "Extra", "records", "In B, and not in A: at least."),
    Column("duplicates", "Duplicates", "records",
           "Empty where buckets differ: pko audit compare --records looks at each record.",
           detail=True),
    Column("altered", "Altered", "records", "As duplicates.", detail=True),
    Column("reordered", "Reordered", "records", "As duplicates.", detail=True),
    Column("pending", "Pending", "records", "In A, on their way to B."),
    Column("differing", "Buckets that differ", kind="number"),
    Column("buckets", "Buckets", detail=True, kind="number"),
    Column("partial", "Partial", detail=True, kind="number",
           doc="Buckets whose records were deleted before they could be counted."),
    Column("behind_ms", "Behind, ms", kind="number",
           doc="B's latest record against A's; empty: B has none."),
)  # fmt: skip
BUCKETS: Final = (
    _TOPIC,
    _PARTITION,
    _BUCKET,
    _STATE,
    Column("records_a", "Records A", "records"),
    Column("records_b", "Records B", "records"),
    Column("bytes_a", "Bytes A", "bytes", "Of keys, values and headers."),
    Column("bytes_b", "Bytes B", "bytes", "Of keys, values and headers."),
    Column("checksum_a", "Checksum A", doc="Sum of the records' hashes mod 2**64, hex."),
    Column("checksum_b", "Checksum B", doc="Sum of the records' hashes mod 2**64, hex."),
)
COUNTED: Final = (
    _TOPIC,
    _PARTITION,
    Column("new", "New", "records", "Counted by this run; of a compacted log: keys."),
    Column("records", "Records", "records", "In all; empty: the log is compacted.", spare=True),
    Column("bytes", "Bytes", "bytes", "Of keys, values and headers.", spare=True),
    Column("keys", "Keys", kind="number", doc="That have a value, of a compacted log.",
           spare=True),
    Column("checksum", "Checksum", doc="Sum of the records' hashes mod 2**64, hex.", spare=True),
    Column("first", "From", kind="number", doc="The first offset that was counted.", detail=True),
    Column("next", "Up to", kind="number", doc="The offset that is counted next."),
    Column("newest", "Newest", "ms", "The latest timestamp.", spare=True),
)  # fmt: skip
LINES: Final = (
    _TOPIC,
    _PARTITION,
    _BUCKET,
    Column("records", "Records", "records"),
    Column("bytes", "Bytes", "bytes", "Of keys, values and headers."),
    Column("checksum", "Checksum", doc="Sum of the records' hashes mod 2**64, hex."),
    Column("order", "Order", doc="A second one, which depends on their order; hex.", detail=True),
    Column("first_offset", "First offset", kind="number"),
    Column("last_offset", "Last offset", kind="number"),
    Column("first_ms", "First", "ms", detail=True, spare=True),
    Column("last_ms", "Last", "ms", detail=True, spare=True),
)
