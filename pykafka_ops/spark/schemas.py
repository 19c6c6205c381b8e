"""The columns of every frame that sources give and reports take, in their order.

``timestamp`` columns are in UTC; sizes are in bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from pykafka_ops.errors import UsageError

if TYPE_CHECKING:
    from pyspark.sql import types as t

Row = Sequence[Any] | Mapping[str, Any]
"""Values of a row, in the order of the columns or by their names."""


def array_of(kind: pa.DataType | pa.Schema, *, nulls: bool = False) -> pa.DataType:
    """Lists of a type, or of rows; with ``nulls`` elements may be null."""
    inner = pa.struct(list(kind)) if isinstance(kind, pa.Schema) else kind
    return pa.list_(pa.field("element", inner, nullable=nulls))


_TYPES: Final[dict[str, pa.DataType]] = {
    "binary": pa.binary(),
    "boolean": pa.bool_(),
    "bigint": pa.int64(),
    "double": pa.float64(),
    "int": pa.int32(),
    "string": pa.string(),
    "timestamp": pa.timestamp("us", tz="UTC"),
    "ints": array_of(pa.int32()),
    "longs": array_of(pa.int64()),
}
_NAMES: Final = {kind: name for name, kind in _TYPES.items() if not pa.types.is_list(kind)}


def columns(text: str, **kinds: pa.DataType) -> pa.Schema:
    """``"name type, name type"`` as a schema, ``kinds`` are types by names of their own."""
    known = {**_TYPES, **kinds}
    pairs = [part.split() for part in text.split(",")]
    return pa.schema([(name, known[kind]) for name, kind in pairs])


def sql_type(kind: pa.DataType) -> str:
    """What SQL calls a type: ``bigint``, ``array<struct<at:bigint>>``."""
    if pa.types.is_list(kind):
        return f"array<{sql_type(kind.value_type)}>"
    if pa.types.is_struct(kind):
        return f"struct<{','.join(f'{f.name}:{sql_type(f.type)}' for f in kind)}>"
    return _NAMES[kind]


def arrow(schema: pa.Schema | t.StructType) -> pa.Schema:
    """The Arrow schema that record batches of ``schema`` must have."""
    if isinstance(schema, pa.Schema):
        return schema
    from pyspark.sql.pandas.types import to_arrow_schema

    try:
        return to_arrow_schema(schema, timezone="UTC")
    except TypeError:  # of Spark 4.1, the newest that Apache Iceberg is made for: always UTC
        return to_arrow_schema(schema)


def struct(schema: pa.Schema) -> t.StructType:
    """The same for Spark; no session is needed for it."""
    from pyspark.sql import types as t

    return t.StructType([t.StructField(f.name, _spark_type(f.type), f.nullable) for f in schema])


def _spark_type(kind: pa.DataType) -> t.DataType:
    from pyspark.sql import types as t

    if pa.types.is_list(kind):
        return t.ArrayType(_spark_type(kind.value_type), kind.value_field.nullable)
    if pa.types.is_struct(kind):
        return struct(pa.schema(list(kind)))
    plain: dict[str, t.DataType] = {
        "binary": t.BinaryType(),
        "boolean": t.BooleanType(),
        "bigint": t.LongType(),
        "double": t.DoubleType(),
        "int": t.IntegerType(),
        "string": t.StringType(),
        "timestamp": t.TimestampType(),
    }
    return plain[_NAMES[kind]]


def narrowed(schema: pa.Schema | t.StructType, full: pa.Schema, source: str) -> pa.Schema:
    """``schema`` if ``full`` has all its columns, in any order; else UsageError."""
    found = arrow(schema)
    types = dict(zip(full.names, full.types, strict=True))
    for field in found:
        if field.name not in types:
            raise UsageError(f"{source} has no column {field.name}: it has {', '.join(types)}")
        wanted, given = sql_type(types[field.name]), _said(field.type)
        if given != wanted:
            raise UsageError(f"{source}: column {field.name} is {wanted}, not {given}")
    return found


def _said(kind: pa.DataType) -> str:
    try:
        return sql_type(kind)
    except KeyError:
        return str(kind)


BATCHES: Final = columns(
    "topic string, partition int, base_offset bigint, last_offset bigint, records int,"
    "first_timestamp timestamp, max_timestamp timestamp, timestamp_type int, size int,"
    "codec string, magic int, leader_epoch int, producer_id bigint, producer_epoch int,"
    "base_sequence int, transactional boolean, control boolean, broker int, log_dir string,"
    "segment string, position bigint, problem string"
)
"""``kafka-log``, mode batches: a row per record batch (``size`` on disk, header included)."""

RECORDS: Final = columns(
    "key binary, value binary, topic string, partition int, offset bigint, timestamp timestamp,"
    "timestampType int"
)
"""Records as Spark's own ``kafka`` source gives them."""

_HEADERS: Final = array_of(columns("key string, value binary"), nulls=True)
RECORDS_WITH_HEADERS: Final = pa.schema([*RECORDS, ("headers", _HEADERS)])
"""The same with ``includeHeaders``."""

KEYS: Final = columns(
    "topic string, partition int, key binary, key_size int, value_size int, timestamp timestamp"
)
"""Records without their values; a size is null where key or value is."""

KEYS_AND_DAMAGE: Final = pa.schema([*KEYS, *columns("problem string")])
"""The same of files, with rows for what cannot be read: where and why; they have no record."""

SAMPLED_KEYS: Final = pa.schema([*KEYS_AND_DAMAGE, *columns("unit_group int, rate double")])
"""The same of a sample: the group of a record's unit, and the share of its topic's bytes that are
read (null where the topic is read whole)."""

EVERY_RECORD: Final = pa.schema(
    [*RECORDS_WITH_HEADERS, KEYS.field("key_size"), KEYS.field("value_size")]
)
"""What a narrow schema of records may ask for."""
EVERY_LOG_RECORD: Final = pa.schema([*EVERY_RECORD, KEYS_AND_DAMAGE.field("problem")])
"""The same of ``kafka-log``."""

OFFSETS: Final = columns(
    "group string, topic string, partition int, offset bigint, leader_epoch int, metadata string,"
    "commit_timestamp timestamp, expire_timestamp timestamp, tombstone boolean,"
    "log_partition int, log_offset bigint"
)
"""``kafka-offsets``: a row per commit. A tombstone has no offset, and the time of its record."""

PARTITIONS: Final = columns(
    "topic string, partition int, leader int, replicas ints, isr ints, start_offset bigint,"
    "end_offset bigint, max_timestamp timestamp"
)
"""Partitions; null where not known. ``max_timestamp`` is that of the newest record."""

BROKERS: Final = columns("broker int, host string, port int, rack string, controller boolean")

LOG_DIRS: Final = columns(
    "broker int, log_dir string, topic string, partition int, size bigint, offset_lag bigint,"
    "future boolean, total_bytes bigint, usable_bytes bigint"
)
"""Replicas on disk. A directory without replicas has one row whose topic and partition are null.

``total_bytes`` and ``usable_bytes`` are of the directory's volume, null where not known.
"""

CONFIGS: Final = columns("topic string, name string, value string, source string")
"""Settings of topics; ``source`` as Kafka's tools print it: DYNAMIC_TOPIC_CONFIG, ..."""

GROUPS: Final = columns(
    "group string, state string, member string, client_id string, host string, topic string,"
    "partition int"
)
"""A row per assigned partition; a member without any has null topic and partition, a group
without members one row that has only group and state."""

COMMITTED: Final = columns(
    "group string, topic string, partition int, offset bigint, leader_epoch int, metadata string"
)
"""The offsets groups would go on from; ``leader_epoch`` is null where unknown."""

ENDS: Final = columns("topic string, partition int, at timestamp, offset bigint")
"""Where logs ended at some moments: the offset of the first record from then on."""

LOG_ENDS: Final = columns(
    "topic string, partition int, ends ends", ends=array_of(array_of(pa.int64()))
)
"""The same in a row for each log: pairs of a moment (ms) and an offset, by time."""

LOG_PASTS: Final = pa.schema([*LOG_ENDS, ("first", pa.int64())])
"""The same, with when the first record was written (ms); null where that is not known."""

TIMES: Final = columns("topic string, partition int, offset bigint, timestamp timestamp")
"""When the first record at or behind an offset was written."""

CLEANED: Final = columns("broker int, log_dir string, topic string, partition int, offset bigint")
"""How far the log cleaner got: the first dirty offset (``cleaner-offset-checkpoint``)."""
