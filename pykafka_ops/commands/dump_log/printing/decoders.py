"""What ``--print-data-log`` and the decoder options make of a key and a value.

A decoder takes (offset, key, value) and gives the two texts, None where there is nothing to print.
"""

from __future__ import annotations

from collections.abc import Callable

from pykafka_ops.commands.dump_log.java import JavaError
from pykafka_ops.commands.payload.formats import PayloadFormat
from pykafka_ops.disk.text import java_text

Decode = Callable[[bytes], str]
Decoder = Callable[[int, bytes | None, bytes | None], tuple[str | None, str | None]]

STRING = "org.apache.kafka.tools.api.StringDecoder"
_PACKAGE = "org.apache.kafka.tools.api."
_OLD_PACKAGE = "kafka.serializer."


def _number(size: int) -> Decode:
    def decode(data: bytes) -> str:
        if len(data) < size:
            raise JavaError(
                "java.nio.BufferUnderflowException",
                plain=f"{len(data)} bytes are too few for a number of {size} bytes",
            )
        return str(int.from_bytes(data[:size], "big", signed=True))

    return decode


def _bytes(data: bytes) -> str:
    """Java prints an array's identity here; its bytes are of more use."""
    return data.hex()


_CLASSES: dict[str, Decode] = {
    "StringDecoder": java_text,
    "LongDecoder": _number(8),
    "IntegerDecoder": _number(4),
    "DefaultDecoder": _bytes,
}


def named(class_name: str, note: Callable[[str], None]) -> Decode:
    """The decoder of that Java class; ``note`` gets Kafka's line about old names."""
    if class_name.startswith(_OLD_PACKAGE) and class_name[len(_OLD_PACKAGE) :] in _CLASSES:
        new = _PACKAGE + class_name[len(_OLD_PACKAGE) :]
        note(f"{class_name} is deprecated. Please use {new} instead")
        class_name = new
    found = _CLASSES.get(class_name.removeprefix(_PACKAGE))
    if found is None or not class_name.startswith(_PACKAGE):
        raise JavaError(
            "java.lang.ClassNotFoundException",
            class_name,
            f"no such decoder: {class_name}; there are {', '.join(_CLASSES)} in {_PACKAGE[:-1]}",
        )
    return found


def pair(key: Decode, value: Decode) -> Decoder:
    """Keys by one decoder, payloads by another."""

    def decode(
        offset: int, key_bytes: bytes | None, value_bytes: bytes | None
    ) -> tuple[str | None, str | None]:
        return (
            None if key_bytes is None else key(key_bytes),
            None if value_bytes is None else value(value_bytes),
        )

    return decode


def formatted(key: PayloadFormat | None, value: PayloadFormat | None) -> Decoder:
    """Keys and values by formats of ours, which never fail; text where there is none."""
    return pair(key.line if key else java_text, value.line if value else java_text)
