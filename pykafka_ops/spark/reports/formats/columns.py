"""The columns of the report on formats: what each figure is. All are of the sample, but for bytes
of whole topics."""

from __future__ import annotations

from typing import Final

from pykafka_ops.disk.compression import CODEC_NAMES
from pykafka_ops.payload.kinds import KINDS as NAMES
from pykafka_ops.spark.model import Column
from pykafka_ops.spark.reports.formats.count import SIDES

_TOPIC: Final = Column("topic", "Topic")
_SIDE: Final = Column("side", "Of", values=SIDES)
_KINDS: Final = (
    "json: an object or a list; avro, protobuf, json-schema: Confluent's wire format, of what the"
    " data of a schema look like; avro-file: Avro's container; text, number, uuid: as text or in 4,"
    " 8 or 16 bytes; binary: none of these; empty; null."
)
TOPICS: Final = (
    _TOPIC,
    Column("value_kind", "Values", values=NAMES, doc="What most sampled values are."),
    Column("value_share", "Share", "share", "Of the sampled values that are so."),
    Column("key_kind", "Keys", values=NAMES, doc="What most sampled keys are."),
    Column("key_share", "Share of keys", "share", detail=True),
    Column("schemas", "Schemas", kind="number", detail=True,
           doc="Schema ids of a registry in the sample, of keys and values."),
    Column("value_mean", "Mean size", "bytes", "Of values, uncompressed, without those that are"
           " null; empty: there are none.", detail=True, spare=True),
    Column("value_p99", "p99 size", "bytes", "99 % of values are no larger.", detail=True,
           spare=True),
    Column("value_max", "Largest", "bytes", "Of the sampled values.", detail=True, spare=True),
    Column("codec", "Codec", values=(*CODEC_NAMES, "mixed"), doc="Of the sampled batches."),
    Column("ratio", "Ratio", kind="number",
           doc="Bytes before compression over bytes on disk, batch headers included; 1: not."),
    Column("replica_bytes", "All replicas", "bytes", "On disk, of those found."),
    Column("best_codec", "Best", values=(*CODEC_NAMES, "as it is"),
           doc="What would take the fewest bytes, by trying all codecs on sampled batches; of"
           " codecs within 2 % of these the fastest."),
    Column("saved_bytes", "Saves", "bytes", "Of all replicas, estimated: if all is as the sample."),
    Column("saving", "A month", "money", "At rest, per month (--price-gib-month).",
           spare=True),
    Column("sampled_records", "Sampled", "records", detail=True),
    Column("records", "Of", "records", "Offsets from start to end; more than there are records"
           " where the cleaner or transactions left gaps.", detail=True),
    Column("sampled_partitions", "Partitions sampled", kind="number", detail=True),
    Column("partitions", "Partitions", kind="number", detail=True),
    Column("advice", "Advice", detail=True, spare=True),
)  # fmt: skip
KINDS: Final = (
    _TOPIC,
    _SIDE,
    Column("kind", "Kind", values=NAMES, doc=_KINDS),
    Column("schema", "Schema", kind="number", doc="Its id in the registry; empty: it has none.",
           spare=True),
    Column("records", "Records", "records", "Of the sample."),
    Column("share", "Share", "share", "Of the sampled records of the topic."),
    Column("bytes", "Bytes", "bytes", "Of the sample, uncompressed."),
)  # fmt: skip
SIZES: Final = (
    _TOPIC,
    _SIDE,
    Column("records", "Records", "records", "Of the sample that are not null."),
    Column("mean", "Mean", "bytes", spare=True),
    Column("p50", "Median", "bytes", "Give or take 1.6 %.", spare=True),
    Column("p99", "p99", "bytes", "99 % are no larger, give or take 1.6 %.", spare=True),
    Column("largest", "Largest", "bytes", spare=True),
)
CODECS: Final = (
    _TOPIC,
    Column("codec", "Codec", values=CODEC_NAMES),
    Column("batches", "Batches now", kind="number", doc="Of the sample, that have it."),
    Column("records", "Records now", "records", "In them."),
    Column("stored", "On disk now", "bytes", "Of them, headers included."),
    Column("plain", "Uncompressed", "bytes", "The same before compression."),
    Column("tried_batches", "Tried", kind="number",
           doc="Sampled batches that were compressed with it at the codec's default level."),
    Column("share_of_now", "Would take", "share",
           "Of what the tried batches take on disk now; empty: not tried.", spare=True),
    Column("estimated_bytes", "Estimated", "bytes",
           "All replicas with it, if all is as the sample; empty: not tried.", spare=True),
    Column("saved_bytes", "Saves", "bytes", "Below 0: it would take more.", spare=True),
    Column("saving", "A month", "money", "At rest, per month (--price-gib-month).",
           spare=True),
)  # fmt: skip
