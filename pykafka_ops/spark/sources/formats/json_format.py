"""JSON by a schema of Spark's; without one, its text."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from typing import Any, Final

import pyarrow as pa

from pykafka_ops.errors import DeserializeError
from pykafka_ops.payload.exact_json import NumberText, check_depth, write_json
from pykafka_ops.spark.sources.formats.codec import ValueCodec

Read = Callable[[Any], Any]
_ROUNDING: Final = Context(prec=76, rounding=ROUND_HALF_UP)
"""As Spark rounds; more digits than a decimal of a table has."""


def json_codec(kind: pa.DataType | None, *, variant: bool) -> ValueCodec:
    """Of a column of ``kind``; None for text. ``variant``: Spark's VARIANT, which holds any."""
    if variant:
        return ValueCodec(kind, _variant)
    if kind is None or pa.types.is_string(kind):
        return ValueCodec(pa.string(), _text)
    read = _reader(kind, "")

    def parsed(data: bytes) -> Any:
        return read(_loaded(data))

    return ValueCodec(kind, parsed)


def _loaded(data: bytes) -> Any:
    try:
        value = json.loads(data, parse_float=Decimal, parse_constant=_none)
        check_depth(value)
        return value
    except RecursionError:
        raise DeserializeError("nested too deep") from None
    except ValueError as e:
        raise DeserializeError(f"no JSON: {e}") from None


def _text(data: bytes) -> str:
    _loaded(data)
    return data.decode("utf-8-sig")


def _variant(data: bytes) -> dict[str, bytes]:
    from pyspark.sql.types import VariantVal

    text = _text(data)
    try:
        made = VariantVal.parseJson(text)
    except Exception as e:  # of a number or a size that it does not hold
        raise DeserializeError(f"no variant: {str(e).partition(chr(10))[0]}") from None
    return {"value": made.value, "metadata": made.metadata}


def _none(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _reader(kind: pa.DataType, path: str) -> Read:
    if pa.types.is_struct(kind):
        return _struct(kind, path)
    if pa.types.is_list(kind):
        return _list(kind, path)
    if pa.types.is_map(kind):
        return _map(kind, path)
    return _scalar(kind, path)


def _struct(kind: pa.StructType, path: str) -> Read:
    fields = [(f.name, _reader(f.type, f"{path}.{f.name}".lstrip("."))) for f in kind]

    def read(value: Any) -> Any:
        if value is None:
            return None
        if not isinstance(value, dict):
            raise _unfit(value, path, "an object")
        return {name: one(value.get(name)) for name, one in fields}

    return read


def _list(kind: pa.ListType, path: str) -> Read:
    item = _reader(kind.value_type, f"{path}[]")

    def read(value: Any) -> Any:
        if value is not None and not isinstance(value, list):
            raise _unfit(value, path, "an array")
        return None if value is None else [item(one) for one in value]

    return read


def _map(kind: pa.MapType, path: str) -> Read:
    item = _reader(kind.item_type, f"{path}{{}}")

    def read(value: Any) -> Any:
        if value is not None and not isinstance(value, dict):
            raise _unfit(value, path, "an object")
        return None if value is None else [(key, item(one)) for key, one in value.items()]

    return read


def _scalar(kind: pa.DataType, path: str) -> Read:
    make = _maker(kind)

    def read(value: Any) -> Any:
        if value is None:
            return None
        try:
            return make(value)
        except (ValueError, TypeError, OverflowError, InvalidOperation, binascii.Error):
            raise _unfit(value, path, str(kind)) from None

    return read


def _maker(kind: pa.DataType) -> Read:
    if pa.types.is_string(kind):
        return lambda value: value if isinstance(value, str) else _again(value)
    if pa.types.is_boolean(kind):
        return lambda value: value if isinstance(value, bool) else _refuse()
    if pa.types.is_integer(kind):
        most = 1 << kind.bit_width - 1
        return lambda v: v if type(v) is int and -most <= v < most else _refuse()
    if pa.types.is_floating(kind):
        return lambda value: float(value) if _is_number(value) else _refuse()
    if pa.types.is_decimal(kind):
        step = Decimal(1).scaleb(-kind.scale)
        return lambda value: (
            _ROUNDING.quantize(Decimal(value), step) if _is_number(value) else _refuse()
        )
    if pa.types.is_timestamp(kind):
        return lambda value: _moment(value, kind.tz is not None)
    if pa.types.is_date(kind):
        return date.fromisoformat
    if pa.types.is_binary(kind):
        return lambda value: base64.b64decode(value, validate=True)
    return lambda value: _refuse()


def _moment(text: str, zoned: bool) -> datetime:
    found = datetime.fromisoformat(text)
    if not zoned:
        return found.astimezone(UTC).replace(tzinfo=None) if found.tzinfo else found
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, Decimal)) and not isinstance(value, bool)


def _again(value: Any) -> str:
    """The JSON that it was, numbers as they were written."""
    return write_json(_exact(value))


def _exact(value: Any) -> Any:
    if isinstance(value, Decimal):
        return NumberText(value)
    if isinstance(value, dict):
        return {name: _exact(one) for name, one in value.items()}
    return [_exact(one) for one in value] if isinstance(value, list) else value


def _refuse() -> Any:
    raise ValueError


def _unfit(value: Any, path: str, wanted: str) -> DeserializeError:
    shown = _again(value)
    shown = shown if len(shown) <= 40 else f"{shown[:40]}..."
    return DeserializeError(f"{path or 'the value'} is {shown}, not {wanted}")
