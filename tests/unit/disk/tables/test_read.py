"""The tables of what Kafka 4 writes: every record is made, written, read and shown."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.disk.schema import (
    ByteReader,
    RecordField,
    RecordStruct,
    read_struct,
    to_json,
    write_struct,
)
from pykafka_ops.disk.tables.read import RecordTable, record_table
from pykafka_ops.errors import CorruptError
from tests.support.raising import raises_only

PARTS = {"groups": ("key", "value"), "share": ("key", "value")}
RECORDS = [
    (table, number, part)
    for table in ("metadata", "groups", "share", "remote", "control")
    for number in record_table(table)
    for part in PARTS.get(table, ("",))
]
VALUES: dict[str, Any] = {
    "string": "Zürich", "bytes": b"\x00\xff", "uuid": bytes(range(16)), "bool": True,
    "float64": 2.5, "int8": -7, "int16": -7, "uint16": 50_000, "int32": -7, "int64": 2**40,
    "uint32": 2**31,
}  # fmt: skip


def filled(struct: type[RecordStruct], *, nulls: bool) -> RecordStruct:
    """One with a value in every field; with ``nulls`` with null wherever that may be."""
    return struct(**{field.attr: value(field, nulls) for field in struct.FIELDS})


def value(field: RecordField, nulls: bool) -> Any:
    if nulls and not field.nullable:
        return None
    kind = field.kind
    one = VALUES[kind] if isinstance(kind, str) else filled(kind, nulls=nulls)
    return [one, one] if field.many else one


@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize(("table", "number", "part"), RECORDS)
def test_a_record_is_read_as_it_was_written(
    table: str, number: int, part: str, nulls: bool
) -> None:
    _, highest, struct = record_table(table).find(number, part)
    for version in range(highest + 1):
        made = filled(struct, nulls=nulls)
        out = bytearray()
        write_struct(out, made, version)
        reader = ByteReader(bytes(out))
        found = read_struct(struct, reader, version)
        assert reader.pos == len(out)
        assert to_json(found, version) == to_json(made, version)


@given(st.sampled_from(RECORDS), st.binary(max_size=200), st.integers(0, 5))
def test_noise_gives_a_record_or_a_corrupt_error(
    record: tuple[str, int, str], noise: bytes, version: int
) -> None:
    struct = record_table(record[0]).find(*record[1:]).struct
    with raises_only(CorruptError):
        to_json(read_struct(struct, ByteReader(noise), version), version)


SAMPLE = """
7 SampleRecord 0-2 flexible=1+
  Name string 0+
  Later int32 2+ default=-1
  Where Endpoint 1+ null=1+
    Port uint16 1+
  Flag bool 1+ tag=0:1+
  Names []string 1+ null=1+ tag=1:1+ default=null
"""


def test_a_table_says_what_each_version_has() -> None:
    table = RecordTable(SAMPLE)
    assert 7 in table and 8 not in table and list(table) == [7]
    name, highest, struct = table.find(7)
    assert (name, highest) == ("SampleRecord", 2)
    made = struct(name="a", where=None)
    assert to_json(made, 0) == {"name": "a"}
    assert to_json(made, 2) == {"name": "a", "later": -1, "where": None}
    made = struct(name="a", flag=True, names=["b"])
    assert to_json(made, 1) == {"name": "a", "where": None, "flag": True, "names": ["b"]}


def test_a_tag_of_a_later_version_is_refused() -> None:
    later = RecordTable("1 A 0-1 flexible=0+\n  B int8 1+ tag=3:1+").find(1).struct
    data = bytes([1, 3, 1, 9])
    assert to_json(read_struct(later, ByteReader(data), 1), 1) == {"b": 9}
    with pytest.raises(CorruptError, match="Tag 3 is not valid for version 0"):
        read_struct(later, ByteReader(data), 0)
