"""Avro payloads by a schema file, with fastavro (the extra ``avro``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from pykafka_ops.errors import DeserializeError, UsageError

#: Confluent's wire format: a zero, the schema's id in the registry (int32), then the Avro data.
_HEADER = 5


def reader(path: str) -> Callable[[bytes], object]:
    """What makes plain values of Avro bytes written with the schema in the file ``path``.

    The values are those of Avro's JSON as far as JSON has them: bytes as ISO-8859-1 text, dates,
    decimals and UUIDs as text. UsageError where fastavro or the file is missing, or the schema is
    none; the function raises DeserializeError for bytes that do not fit the schema to their end.
    """
    what = f"Avro schema {path}"
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except OSError as e:
        raise UsageError(f"{what}: {e.strerror}") from None
    except ValueError as e:
        raise UsageError(f"{what}: no JSON: {e}") from None
    read_one = schema_reader(text, what)

    def read(data: bytes) -> object:
        trouble: DeserializeError | None = None
        if len(data) >= _HEADER and data[0] == 0:
            try:
                return read_one(data[_HEADER:])
            except DeserializeError as e:
                trouble = e
        try:
            return read_one(data)
        except DeserializeError:
            if trouble is None:
                raise
            raise trouble from None

    return read


def schema_reader(text: str, what: str, named: Sequence[str] = ()) -> Callable[[bytes], object]:
    """As ``reader``, of a schema's text and without the header; ``what`` begins complaints.

    ``named`` are the texts of schemas whose types it uses, those that others need first.
    """
    read_one = typed_reader(parsed(text, what, named))
    return lambda data: _plain(read_one(data))


class ParsedSchema(NamedTuple):
    """A schema as fastavro has it, and the types it may name. ``recursive``: one stands within
    itself."""

    schema: Any
    named: Mapping[str, Any]
    recursive: bool


def parsed(text: str, what: str, named: Sequence[str] = ()) -> ParsedSchema:
    """A schema of its text, as ``schema_reader`` takes it. UsageError."""
    try:
        from fastavro.schema import parse_schema
    except ImportError:
        raise UsageError("Avro needs fastavro: pip install 'pykafka-ops[avro]'") from None
    known: dict[str, Any] = {}
    schemas = [_parsed(parse_schema, part, what, known) for part in (*named, text)]
    types: dict[str, Any] = {}
    hungerless = next((found for s in schemas if (found := _takes_nothing(s, types))), "")
    if hungerless:
        raise UsageError(f"{what}: {hungerless}, so that no data can bound its length")
    return ParsedSchema(schemas[-1], types, any(_recursive(s) for s in schemas))


def typed_reader(
    written: ParsedSchema, into: ParsedSchema | None = None
) -> Callable[[bytes], object]:
    """What makes Python values of bytes written with a schema: of logical types datetime, Decimal,
    UUID. ``into``: read as this schema has it, by Avro's schema resolution. The function raises
    DeserializeError."""
    recursive = written.recursive or (into is not None and into.recursive)
    return _reading(written.schema, None if into is None else into.schema, recursive=recursive)


def _parsed(parse: Callable[..., Any], text: str, what: str, known: dict[str, Any]) -> Any:
    import json

    try:
        written = json.loads(text)
    except (ValueError, RecursionError) as e:
        raise UsageError(f"{what}: no JSON: {e}") from None
    try:
        return parse(written, named_schemas=known)
    except Exception as e:  # its exceptions have no common base
        raise UsageError(f"{what}: {type(e).__name__}: {e}") from None


def _reading(schema: Any, into: Any, *, recursive: bool) -> Callable[[bytes], object]:
    """One value of ``schema`` that takes all of the bytes, as ``into`` has it if there is one."""
    from io import BytesIO

    if recursive:  # compiled, deep data would overflow the stack of the process
        from fastavro._read_py import schemaless_reader
    else:
        from fastavro import schemaless_reader

    def read(data: bytes) -> object:
        source = BytesIO(data)
        try:
            value: object = schemaless_reader(source, schema, into)
        except (Exception, MemoryError) as e:  # what malformed data leads to: many kinds
            raise DeserializeError(f"{type(e).__name__}: {e}" if str(e) else "cut short") from None
        if source.tell() != len(data):
            raise DeserializeError(f"{len(data) - source.tell()} bytes are left over")
        return value

    return read


def _parts(schema: Any) -> list[Any]:
    """The schemas right inside a schema."""
    if isinstance(schema, list):
        return schema
    if isinstance(schema, dict):
        inside = [field["type"] for field in schema.get("fields", ())]
        inside += [schema[name] for name in ("items", "values") if name in schema]
        if isinstance(schema.get("type"), (dict, list)):
            inside.append(schema["type"])
        return inside
    return []


def _recursive(schema: Any, above: tuple[str, ...] = ()) -> bool:
    """Whether a named type stands within itself."""
    if isinstance(schema, str):
        return schema in above
    if isinstance(schema, dict) and "name" in schema:
        above = (*above, schema["name"])
    return any(_recursive(part, above) for part in _parts(schema))


def _takes_nothing(schema: Any, named: dict[str, Any]) -> str:
    """Which array has items of no bytes (a few bytes could claim 2**63 of them); "" if none.

    ``named`` collects the types that have a name, which stand before they are used.
    """
    if isinstance(schema, dict) and "name" in schema:
        named[schema["name"]] = schema
    if isinstance(schema, dict) and schema.get("type") == "array":
        inside = _takes_nothing(schema["items"], named)
        empty = _empty(schema["items"], named, ())
        return "an array of items that take no bytes" if empty else inside
    return next((text for part in _parts(schema) if (text := _takes_nothing(part, named))), "")


def _empty(schema: Any, named: dict[str, Any], above: tuple[str, ...]) -> bool:
    """Whether a value takes no bytes; ``above`` are the names that this one stands in."""
    if isinstance(schema, str):
        if schema in above:
            return True  # what else the record holds decides
        return schema == "null" or (
            schema in named and _empty(named[schema], named, (*above, schema))
        )
    if not isinstance(schema, dict):
        return False
    kind = schema.get("type")
    if kind == "record":
        above = (*above, schema["name"])
        return all(_empty(field["type"], named, above) for field in schema["fields"])
    return (kind == "fixed" and schema["size"] == 0) or _empty(kind, named, above)


def _plain(value: Any) -> object:
    """The value as JSON can hold it."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, float) and value - value != 0:  # JSON has no NaN and no infinity
        return str(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
