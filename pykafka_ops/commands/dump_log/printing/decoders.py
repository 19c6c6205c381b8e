"""What ``--print-data-log`` and the decoder options make of a key and a value.

A decoder takes (offset, key, value) and gives the two texts, None where there is nothing to print.
"""

from __future__ import annotations

from collections.abc import Callable

from pykafka_ops.commands.dump_log.java import JavaError
from pykafka_ops.commands.payload.formats import PayloadFormat
from pykafka_ops.disk.text import java_text
from pykafka_ops.errors import CorruptError

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


def cluster_metadata(
    offset: int, key: bytes | None, value: bytes | None
) -> tuple[str | None, str | None]:
    """Records of a KRaft metadata log: type, version and the undecoded rest."""
    try:
        return None, _framed(value)
    except CorruptError as e:
        return None, f"Error at {offset}, skipping. {e}"


def remote_log_metadata(
    offset: int, key: bytes | None, value: bytes | None
) -> tuple[str | None, str | None]:
    """Records of ``__remote_log_metadata``: type, version and the undecoded rest."""
    try:
        if value is None:
            raise CorruptError(
                'Cannot invoke "java.nio.ByteBuffer.remaining()" because the return value of '
                '"org.apache.kafka.common.record.Record.value()" is null'
            )
        return None, _framed(value)
    except CorruptError as e:
        return None, f"Error at offset {offset}, skipping. {e}"


def _framed(value: bytes | None) -> str:
    """A record in the frame of ``AbstractApiMessageSerde``; CorruptError in its words."""
    from base64 import b64encode

    from pykafka_ops.disk.schema import ByteReader
    from pykafka_ops.disk.text import java_json

    reader = ByteReader(value or b"")
    version = _short(reader, "frame version")
    if version == 0:
        raise CorruptError(
            "Could not deserialize metadata record with frame version 0. Note that upgrades from "
            "the preview release of KRaft in 2.8 to newer versions are not supported."
        )
    if version != 1:
        raise CorruptError(
            f"Could not deserialize metadata record due to unknown frame version {version}(only "
            "frame version 1 is supported)"
        )
    kind, version = _short(reader, "type"), _short(reader, "version")
    data = b64encode(reader.data[reader.pos :]).decode()
    return java_json({"type": kind, "version": version, "data": data})


def _short(reader: object, entity: str) -> int:
    from pykafka_ops.disk.schema import ByteReader

    assert isinstance(reader, ByteReader)
    try:
        value = reader.unsigned() & 0xFFFF_FFFF
    except CorruptError:
        raise CorruptError(f"Error while reading {entity}") from None
    if value >= 2**31:  # Java's int is negative here and passes
        value = (value & 0xFFFF) - (0x1_0000 if value & 0x8000 else 0)
    elif value > 0x7FFF:
        raise CorruptError(f"Value for {entity} was too large.")
    return value
