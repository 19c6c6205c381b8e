"""What keys and values are made of: ``--key-format`` and ``--value-format`` of several commands.

A format makes bytes readable in two ways: as text, and as a plain value for JSON.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.payload.deserializers import DESERIALIZERS
from pykafka_ops.disk.text import java_text
from pykafka_ops.errors import DeserializeError, UsageError

NAMES = ("utf-8", "hex", "base64", "json", "int", "long", "avro:SCHEMA-FILE")


class PayloadFormat(NamedTuple):
    """One format. ``plain`` gives a value for JSON, ``text`` a line for people.

    Both raise DeserializeError for bytes that are not of the format. ``encode`` makes the bytes of
    a key someone typed, None where a format has more than one way to write a value.
    """

    name: str
    plain: Callable[[bytes], object]
    text: Callable[[bytes], str]
    encode: Callable[[str], bytes] | None = None

    def line(self, data: bytes) -> str:
        """``text``, or what the bytes are as text and that they are not of this format."""
        try:
            return self.text(data)
        except DeserializeError as e:
            return f"{java_text(data)} (not {self.name}: {e})"

    def shown(self, part: str, data: bytes | None) -> dict[str, object]:
        """``{part: ..., part_encoding: ...}`` of JSON; base64 and ``part_error`` if unreadable."""
        if data is None:
            return {part: None, f"{part}_encoding": None}
        try:
            return {part: self.plain(data), f"{part}_encoding": self.name}
        except DeserializeError as e:
            return {
                part: _base64(data),
                f"{part}_encoding": "base64",
                f"{part}_error": f"not {self.name}: {e}",
            }


def payload_format(spec: str, option: str) -> PayloadFormat:
    """The format of that name; UsageError that says what there is, or what is wrong with a schema.

    ``option`` is named in the message.
    """
    name, _, rest = spec.partition(":")
    if name == "avro":
        from pykafka_ops.payload.avro import reader

        if not rest:
            raise UsageError(f"{option} avro: which schema? write avro:orders.avsc")
        read = reader(rest)
        return PayloadFormat("avro", read, lambda data: _compact(read(data)))
    made = _FORMATS.get(spec)
    if made is None:
        raise UsageError(f"{option} {spec}: choose one of {', '.join(NAMES)}")
    return made


def formats_of(args: Args) -> tuple[PayloadFormat | None, PayloadFormat | None]:
    """(of keys, of values), None where no option says one."""
    key, value = args.text("key-format"), args.text("value-format")
    return (
        None if key is None else payload_format(key, "--key-format"),
        None if value is None else payload_format(value, "--value-format"),
    )


def encoded(name: str, value: object) -> bytes:
    """The bytes of a value that ``plain`` of the format ``name`` gave.

    Raises ValueError where they cannot be made again: Avro needs the schema and its id.
    """
    if name == "json":
        return _compact(value).encode()
    made = _FORMATS.get(name)
    if made is None or made.encode is None:
        raise ValueError(f"{name} cannot be written")
    try:
        return made.encode(str(value))
    except UsageError as e:
        raise ValueError(str(e)) from None


def _base64(data: bytes) -> str:
    from base64 import b64encode

    return b64encode(data).decode()


def _compact(value: object) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _utf8(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as e:
        raise DeserializeError(f"{e.reason} at byte {e.start}") from None


def _json(data: bytes) -> object:
    import json

    try:
        return json.loads(data, parse_constant=_no_constant)
    except RecursionError:
        raise DeserializeError("nested too deep") from None
    except ValueError as e:  # of the text as of the JSON
        raise DeserializeError(str(e)) from None


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")


def _number(name: str, size: int) -> PayloadFormat:
    convert = DESERIALIZERS[f"{name.capitalize().replace('Int', 'Integer')}Deserializer"]
    assert convert is not None

    def encode(text: str) -> bytes:
        try:
            return int(text).to_bytes(size, "big", signed=True)
        except (ValueError, OverflowError):
            raise UsageError(f"{text!r} is no {name} of {size} bytes") from None

    return PayloadFormat(
        name, lambda data: int(convert(data)), lambda data: convert(data).decode(), encode
    )


def _from_hex(text: str) -> bytes:
    try:
        return bytes.fromhex(text.removeprefix("0x"))
    except ValueError:
        raise UsageError(f"{text!r} is no hex: write two digits a byte") from None


def _from_base64(text: str) -> bytes:
    from base64 import b64decode

    try:
        return b64decode(text, validate=True)
    except ValueError:
        raise UsageError(f"{text!r} is no base64") from None


def _typed(text: str) -> bytes:
    """The bytes of a word of the command line, which need not be UTF-8."""
    return text.encode("utf-8", "surrogateescape")


_FORMATS = {
    "utf-8": PayloadFormat("utf-8", _utf8, java_text, _typed),
    "hex": PayloadFormat("hex", bytes.hex, bytes.hex, _from_hex),
    "base64": PayloadFormat("base64", _base64, _base64, _from_base64),
    "json": PayloadFormat("json", _json, lambda data: _compact(_json(data))),
    "int": _number("int", 4),
    "long": _number("long", 8),
}
