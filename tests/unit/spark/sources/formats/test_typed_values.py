"""Keys and values are typed columns by JSON, Avro, Protobuf; what is not of the format is told."""

from __future__ import annotations

import io
import json
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pytest
from google.protobuf import descriptor_pb2, timestamp_pb2
from google.protobuf.descriptor_pb2 import FieldDescriptorProto as Field
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from pyspark.sql import types as t
from pyspark.sql.streaming.datasource import ReadAllAvailable

from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import DeserializeError, PkoError, UsageError
from pykafka_ops.spark.sources.formats.avro_format import avro_of_file
from pykafka_ops.spark.sources.formats.json_format import json_codec
from pykafka_ops.spark.sources.formats.protobuf_format import protobuf_of_file
from pykafka_ops.spark.sources.log.source import KafkaLogSource

ORDER = t.StructType([
    t.StructField("id", t.LongType()),
    t.StructField("total", t.DecimalType(10, 2)),
    t.StructField("at", t.TimestampType()),
    t.StructField("day", t.DateType()),
    t.StructField("tags", t.ArrayType(t.StringType())),
    t.StructField("counts", t.MapType(t.StringType(), t.IntegerType())),
    t.StructField("to", t.StructType([t.StructField("city", t.StringType())])),
])  # fmt: skip
WHOLE = (
    b'{"id": 7, "total": 12.5, "at": "2026-11-21T08:00:00Z", "day": "2026-11-21", "more": 1,'
    b' "tags": ["a", {"b": 1.50}], "counts": {"x": 1}, "to": {"city": "K\xc3\xb6ln"}}'
)


def log_of(folder: Path, *values: bytes | None) -> str:
    """A log whose records have these values, with JSON keys."""
    (folder / "orders-0").mkdir(parents=True, exist_ok=True)
    records = [Record(n, n, b"%d" % n, value) for n, value in enumerate(values)]
    data = build_batch(records, base_offset=0)
    (folder / "orders-0" / "00000000000000000000.log").write_bytes(data)
    return str(folder)


def source(path: str, **options: str) -> KafkaLogSource:
    return KafkaLogSource({"path": path, "mode": "records", **options})


def rows(made: KafkaLogSource, schema: t.StructType) -> list[dict[str, Any]]:
    reader = made.reader(schema)
    return [r for task in reader.partitions() for b in reader.read(task) for r in b.to_pylist()]


def decoded(value: t.DataType, *more: t.StructField) -> t.StructType:
    fields = [t.StructField("value", value), t.StructField("value_error", t.StringType())]
    return t.StructType([*fields, *more])


def test_json_is_typed_by_a_schema_and_what_does_not_fit_is_told(tmp_path: Path) -> None:
    bad = b'{"id": "seven"}', b"{", b"\xff", b'{"id": 1.5}', b'{"at": "soon"}', b"[1]"
    path = log_of(tmp_path, WHOLE, None, b"{}", b"null", *bad)
    found = rows(source(path, value_format="json"),
                 decoded(ORDER, t.StructField("offset", t.LongType())))  # fmt: skip
    assert found[0] == {
        "value": {
            "id": 7, "total": Decimal("12.50"), "at": datetime(2026, 11, 21, 8, tzinfo=UTC),
            "day": date(2026, 11, 21), "tags": ["a", '{"b":1.50}'], "counts": [("x", 1)],
            "to": {"city": "Köln"},
        },
        "value_error": None, "offset": 0,
    }  # fmt: skip
    assert [row["value_error"] for row in found[:4]] == [None] * 4
    assert (found[1]["value"], found[3]["value"]) == (None, None)
    assert set(found[2]["value"].values()) == {None}
    assert [row["value"] for row in found[4:]] == [None] * len(bad)
    for row, said in zip(found[4:], (
        'id is "seven", not int64', "no JSON", "no JSON", "id is 1.5, not int64",
        'at is "soon", not timestamp', "the value is [1], not an object",
    ), strict=True):  # fmt: skip
        assert row["value_error"].startswith(said)


def test_failfast_names_the_record(tmp_path: Path) -> None:
    path = log_of(tmp_path, b"{}", b"oops")
    made = source(path, value_format="json", decode_mode="failfast")
    with pytest.raises(DeserializeError, match=r"orders-0, offset 1: the value is not json: no JS"):
        rows(made, t.StructType([t.StructField("value", ORDER)]))


def test_columns_are_told_to_spark_in_its_words() -> None:
    def schema(**options: str) -> Any:
        return source("/x", **options).schema()

    ddl = schema(value_format="json", value_schema="id bigint, tags array<string>")
    assert "`value` struct<id bigint, tags array<string>>, `value_error` string, `topic`" in ddl
    assert "`value` variant" in schema(value_format="json", value_schema="variant")
    assert "`value` string, `value_error`" in schema(value_format="json")
    chosen = schema(
        value_format="json",
        key_format="json",
        key_schema="map<string, int>",
        columns="key,value_error,raw_value,offset",
    )
    assert chosen == (
        "`key` map<string, int>, `value_error` string, `raw_value` binary, `offset` bigint"
    )
    failfast = schema(value_format="json", decode_mode="failfast")
    assert "value_error" not in failfast


def test_a_column_of_bytes_stays_beside_what_was_made_of_them(tmp_path: Path) -> None:
    path = log_of(tmp_path, b"{", b'"text"')
    made = source(path, value_format="json", pushdown="true", where="offset >= 0")
    fields = decoded(t.StringType(), t.StructField("raw_value", t.BinaryType()))
    assert [(r["value"], r["raw_value"]) for r in rows(made, fields)] == [
        (None, b"{"), ('"text"', b'"text"'),
    ]  # fmt: skip
    reader = made.reader(fields)
    from pyspark.sql.datasource import EqualTo

    wanted = [EqualTo(("value",), "x"), EqualTo(("value_error",), "y")]
    assert list(reader.pushFilters(wanted)) == wanted, "decoded columns are Spark's to judge"


AVRO = {
    "type": "record", "name": "shop.Order", "fields": [
        {"name": "id", "type": "long"},
        {"name": "total", "type": {"type": "bytes", "logicalType": "decimal", "precision": 10,
                                   "scale": 2}},
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "state", "type": {"type": "enum", "name": "State", "symbols": ["NEW", "PAID"]}},
        {"name": "note", "type": ["null", "string"], "default": None},
        {"name": "size", "type": ["int", "long"]},
        {"name": "any", "type": ["null", "string", "long", {"type": "array", "items": "int"}]},
        {"name": "next", "type": ["null", "shop.Order"], "default": None},
        {"name": "parts", "type": {"type": "map", "values": {"type": "array", "items": "bytes"}}},
    ],
}  # fmt: skip
VALUE: dict[str, Any] = {
    "id": 7, "total": Decimal("1.25"), "at": datetime(2026, 11, 21, tzinfo=UTC), "state": "PAID",
    "note": None, "size": 5, "any": [1, 2], "next": None, "parts": {"p": [b"\0", b"\1"]},
}  # fmt: skip


def avro(value: dict[str, Any], schema: Any = AVRO) -> bytes:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(schema), value)
    return out.getvalue()


def test_avro_is_typed_by_its_schema_file(tmp_path: Path) -> None:
    schema = tmp_path / "order.avsc"
    schema.write_text(json.dumps(AVRO))
    nested = {**VALUE, "next": {**VALUE, "id": 8}}
    path = log_of(tmp_path / "logs", avro(VALUE), b"\0\0\0\0\7" + avro(nested), avro(VALUE)[:-1])
    made = source(path, value_format="avro", value_schema=str(schema))
    ddl = made.schema()
    assert isinstance(ddl, str)
    assert (
        "`value` struct<id:bigint,total:decimal(10,2),at:timestamp,state:string,note:string,"
        "size:bigint,any:string,next:string,parts:map<string,array<binary>>>" in ddl
    )
    codec = avro_of_file(str(schema))
    first = codec.read(avro(VALUE))
    assert first == {**VALUE, "any": "[1, 2]", "parts": [("p", [b"\0", b"\1"])]}
    from pyspark.sql.pandas.types import from_arrow_type

    assert codec.kind is not None
    found = rows(made, decoded(from_arrow_type(codec.kind)))
    assert [row["value_error"] is None for row in found] == [True, True, False]
    assert json.loads(found[1]["value"]["next"])["id"] == 8
    with pytest.raises(UsageError, match=r"No such file"):
        source(path, value_format="avro", value_schema=str(tmp_path / "none")).schema()


@pytest.fixture
def descriptors(tmp_path: Path) -> tuple[Path, Any]:
    """A descriptor file with a message that has a field of every kind, and its class."""
    file = descriptor_pb2.FileDescriptorProto(name="shop.proto", package="shop", syntax="proto3")
    file.dependency.append("google/protobuf/timestamp.proto")
    color = file.enum_type.add(name="Color")
    color.value.add(name="RED", number=0)
    color.value.add(name="BLUE", number=1)
    message = file.message_type.add(name="Order")
    entry = message.nested_type.add(name="CountsEntry")
    entry.options.map_entry = True
    entry.field.add(name="key", number=1, type=Field.TYPE_STRING, label=Field.LABEL_OPTIONAL)
    entry.field.add(name="value", number=2, type=Field.TYPE_INT32, label=Field.LABEL_OPTIONAL)
    one, many = Field.LABEL_OPTIONAL, Field.LABEL_REPEATED
    for number, (name, kind, label, of) in enumerate((
        ("id", Field.TYPE_UINT64, one, ""), ("small", Field.TYPE_UINT32, one, ""),
        ("text", Field.TYPE_STRING, one, ""), ("tags", Field.TYPE_STRING, many, ""),
        ("color", Field.TYPE_ENUM, one, ".shop.Color"),
        ("at", Field.TYPE_MESSAGE, one, ".google.protobuf.Timestamp"),
        ("next", Field.TYPE_MESSAGE, one, ".shop.Order"),
        ("counts", Field.TYPE_MESSAGE, many, ".shop.Order.CountsEntry"),
        ("data", Field.TYPE_BYTES, one, ""),
    ), 1):  # fmt: skip
        message.field.add(name=name, number=number, type=kind, label=label)
        if of:
            message.field[-1].type_name = of
    stamps = descriptor_pb2.FileDescriptorProto()
    timestamp_pb2.DESCRIPTOR.CopyToProto(stamps)
    path = tmp_path / "shop.desc"
    path.write_bytes(descriptor_pb2.FileDescriptorSet(file=[stamps, file]).SerializeToString())
    pool = DescriptorPool()
    pool.Add(stamps)
    pool.Add(file)
    return path, GetMessageClass(pool.FindMessageTypeByName("shop.Order"))


def test_protobuf_is_typed_by_its_descriptors(descriptors: tuple[Path, Any]) -> None:
    path, kind = descriptors
    order = kind(id=2**64 - 1, small=2**32 - 1, tags=["a", "b"], color=1, data=b"\1")
    order.at.FromDatetime(datetime(2026, 11, 21))
    order.next.text = "later"
    order.counts["x"] = 3
    codec = protobuf_of_file(str(path), "shop.Order")
    wanted = {
        "id": Decimal(2**64 - 1), "small": 2**32 - 1, "text": "", "tags": ["a", "b"],
        "color": "BLUE", "at": datetime(2026, 11, 21, tzinfo=UTC), "next": '{"text": "later"}',
        "counts": [("x", 3)], "data": b"\1",
    }  # fmt: skip
    data = order.SerializeToString()
    assert codec.read(data) == wanted
    assert codec.read(b"\0\0\0\0\5\0" + data) == wanted, "as Confluent's serializers write it"
    assert codec.read(b"")["at"] is None
    for wrong in (data[:-1], b"\0\0\0", b"\xff"):
        with pytest.raises(DeserializeError):
            codec.read(wrong)
    with pytest.raises(UsageError, match=r"no message shop.Bill; there is .*shop.Order"):
        protobuf_of_file(str(path), "shop.Bill")


def test_decoded_values_come_as_a_stream_too(tmp_path: Path) -> None:
    made = source(log_of(tmp_path, b"1", b"x"), value_format="json", where="offset >= 0")
    stream = made.streamReader(decoded(t.IntegerType()))
    start = stream.initialOffset()
    end = stream.latestOffset(start, ReadAllAvailable())
    (task,) = stream.partitions(start, end)
    found = [row for batch in stream.read(task) for row in batch.to_pylist()]
    assert [row["value"] for row in found] == [1, None]


def test_a_variant_holds_any_json() -> None:
    codec = json_codec(None, variant=True)
    made = t.VariantVal(**codec.read(b'{"a": [1, null, "x"]}'))
    assert made.toPython() == {"a": [1, None, "x"]}
    with pytest.raises(DeserializeError):
        codec.read(b"{")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"value_format": "xml"}, "option value_format=xml: not one of json, avro, protobuf"),
        ({"value_format": "avro"}, "value_schema names a schema file, or schema.registry.url"),
        ({"value_format": "protobuf", "value_schema": "x"}, "value_message the message"),
        ({"value_format": "json", "decode_mode": "lax"}, "decode_mode=lax"),
        ({"value_format": "json", "mode": "batches"}, "want mode=records"),
        ({"value_format": "json", "columns": "color"}, "no column color"),
        ({"value_format": "avro", "schema.registry.url": "ftp://x"}, "write http://HOST:PORT"),
        (
            {"value_format": "avro", "schema.registry.url": "http://localhost:1"},
            "option value_subject is missing",
        ),
    ],
)
def test_options_that_are_wrong_are_a_line(options: dict[str, str], said: str) -> None:
    with pytest.raises(PkoError) as error:
        source("/x", **options).schema()
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_duration_of_a_task_is_not_a_time_of_a_day(tmp_path: Path) -> None:
    schema = {"type": "record", "name": "T", "fields": [
        {"name": "at", "type": {"type": "int", "logicalType": "time-millis"}}]}  # fmt: skip
    path = tmp_path / "t.avsc"
    path.write_text(json.dumps(schema))
    moment = (datetime(2026, 1, 1) + timedelta(hours=8, milliseconds=5)).time()
    assert avro_of_file(str(path)).read(avro({"at": moment}, schema)) == {"at": "08:00:00.005000"}


def test_decimals_of_json_have_all_their_digits_and_round_as_sparks(tmp_path: Path) -> None:
    read = json_codec(pa.decimal128(38, 18), variant=False).read
    long = "12345678901234567890.123456789012345678"
    assert read(long.encode()) == Decimal(long)
    assert read(b"-1.0000000000000000005") == Decimal("-1.000000000000000001")
    small = json_codec(pa.decimal128(10, 2), variant=False).read
    assert [small(text) for text in (b"0.125", b"2.675", b"7")] == [
        Decimal("0.13"), Decimal("2.68"), Decimal("7.00"),
    ]  # fmt: skip
    (row,) = rows(
        source(log_of(tmp_path, b'{"total": 1e30}'), value_format="json"),
        t.StructType([t.StructField("value", ORDER), t.StructField("value_error", t.StringType())]),
    )
    assert row["value"] is None and row["value_error"]
