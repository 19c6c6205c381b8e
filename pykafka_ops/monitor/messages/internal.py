"""Records of ``__consumer_offsets`` and ``__transaction_state``, and markers of transactions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pykafka_ops.disk import internal
from pykafka_ops.disk.control import ControlType, control_type_id, read_marker
from pykafka_ops.disk.record import Record
from pykafka_ops.disk.schema import to_json
from pykafka_ops.errors import CorruptError
from pykafka_ops.monitor.messages.parts import DecodedPart, hex_part

OFFSETS: Final = "__consumer_offsets"
TRANSACTIONS: Final = "__transaction_state"
Parts = tuple[DecodedPart, DecodedPart]


def internal_parts(topic: str, record: Record) -> Parts | None:
    """Key and value of a record of an internal topic; None of any other topic."""
    read = _READERS.get(topic)
    if read is None:
        return None
    try:
        key, value = read(record.key or b"", record.value)
    except CorruptError as error:
        return _raw(record, f"no record of {topic}: {error}")
    return (
        DecodedPart("internal", key, len(record.key or b""), record.key),
        DecodedPart("internal" if value else "null", value, _size(record.value), record.value),
    )


def marker_parts(record: Record) -> Parts:
    """Of a control record."""
    try:
        kind = control_type_id(record.key)
        key: object = {"type": ControlType(kind).name if kind in list(ControlType) else str(kind)}
        value: object = None
        if kind in (ControlType.ABORT, ControlType.COMMIT):
            value = {"coordinator_epoch": read_marker(record).coordinator_epoch}
    except CorruptError as error:
        return _raw(record, f"no control record: {error}")
    return (
        DecodedPart("control", key, _size(record.key), record.key),
        DecodedPart("control" if value else "null", value, _size(record.value), record.value),
    )


def _raw(record: Record, error: str) -> Parts:
    key, value = record.key, record.value
    null = DecodedPart("null", None, None)
    return (
        null if key is None else hex_part(key, error),
        null if value is None else hex_part(value, error),
    )


def _size(data: bytes | None) -> int | None:
    return None if data is None else len(data)


def _offsets(key: bytes, value: bytes | None) -> tuple[object, object]:
    found = internal.read_offsets_record(key, value)
    return (
        {"version": found.type, **to_json(found.key, 0)},
        None if found.value is None
        else {"version": found.value_version, **to_json(found.value, found.value_version)},
    )  # fmt: skip


def _transactions(key: bytes, value: bytes | None) -> tuple[object, object]:
    name = internal.read_transaction_key(key)
    if value is None:
        return {"version": 0, **to_json(name, 0)}, None
    version = int.from_bytes(value[:2], "big", signed=True)
    state = internal.read_transaction_value(value)
    return (
        {"version": 0, **to_json(name, 0)},
        {"version": version, **to_json(state, version)},
    )


_READERS: Final[dict[str, Callable[[bytes, bytes | None], tuple[object, object]]]] = {
    OFFSETS: _offsets,
    TRANSACTIONS: _transactions,
}
