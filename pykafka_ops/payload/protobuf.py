"""Protobuf payloads by descriptors, with the library ``protobuf`` (the extra of that name).

A descriptor set is what ``protoc --include_imports --descriptor_set_out=FILE`` writes. A schema
registry gives each file as a descriptor of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from pykafka_ops.errors import DeserializeError, UsageError

MISSING: Final = "Protobuf needs protobuf: pip install 'pykafka-ops[protobuf]'"
MOST_INDEXES: Final = 32
_WELL_KNOWN: Final = (
    "any", "api", "descriptor", "duration", "empty", "field_mask", "source_context", "struct",
    "timestamp", "type", "wrappers",
)  # fmt: skip
Read = Callable[[bytes], object]


class ProtobufFiles:
    """Descriptors of ``.proto`` files that fit together; UsageError where they do not."""

    def __init__(self, files: Mapping[str, bytes], what: str) -> None:
        """``files``: serialized FileDescriptorProto by name; ``what`` begins complaints."""
        try:
            from google.protobuf import descriptor_pb2, descriptor_pool
        except ImportError:
            raise UsageError(MISSING) from None
        self._what = what
        self._pool: Any = descriptor_pool.DescriptorPool()
        self._protos: dict[str, Any] = {}
        for name, data in files.items():
            proto = descriptor_pb2.FileDescriptorProto()
            try:
                proto.ParseFromString(data)
            except Exception:  # DecodeError has no base that can be named without the library
                raise UsageError(f"{what}: {name} is not a file descriptor") from None
            if not isinstance(name, str):  # not UTF-8: the library gives bytes
                raise UsageError(f"{what}: the name of a file is not text")
            proto.name = name
            self._protos[name] = proto
        self._added: set[str] = set()
        for name in files:
            self._add(name, ())

    @classmethod
    def of_set(cls, data: bytes, what: str) -> ProtobufFiles:
        """Of a FileDescriptorSet."""
        try:
            from google.protobuf import descriptor_pb2
        except ImportError:
            raise UsageError(MISSING) from None
        found = descriptor_pb2.FileDescriptorSet()
        try:
            found.ParseFromString(data)
        except Exception:
            raise UsageError(f"{what} is not a descriptor set: protoc writes one") from None
        if not found.file:
            raise UsageError(f"{what} holds no descriptors: protoc writes them")
        return cls({one.name: one.SerializeToString() for one in found.file}, what)

    def by_name(self, name: str) -> Read:
        """What reads messages of that full name; UsageError where there is none."""
        return _reader(self.descriptor(name))

    def descriptor(self, name: str) -> Any:
        """The library's descriptor of the message of that full name; UsageError."""
        try:
            return self._pool.FindMessageTypeByName(name)
        except KeyError:
            names = sorted(self.names())
            raise UsageError(
                f"{self._what}: no message {name}; there is {', '.join(names[:20]) or 'none'}"
            ) from None

    def by_index(self, file: str, path: Sequence[int]) -> Read:
        """What reads the message at ``path`` in a file: its number, then those nested in it.

        DeserializeError where there is none.
        """
        proto = self._protos[file]
        inside, names = proto.message_type, [proto.package] if proto.package else []
        for index in path:
            if not 0 <= index < len(inside):
                raise DeserializeError(f"the schema has no message of index {list(path)}")
            names.append(inside[index].name)
            inside = inside[index].nested_type
        return _reader(self._pool.FindMessageTypeByName(".".join(names)))

    def names(self) -> list[str]:
        """Full names of the messages at the top of the files."""
        return [
            f"{proto.package}.{message.name}" if proto.package else message.name
            for proto in self._protos.values()
            for message in proto.message_type
        ]

    def _add(self, name: str, above: tuple[str, ...]) -> None:
        if name in self._added:
            return
        if name in above:
            raise UsageError(f"{self._what}: {name} imports itself")
        proto = self._protos.get(name) or _well_known(name)
        if proto is None:
            raise UsageError(f"{self._what}: {name} is imported and missing")
        for needed in proto.dependency:
            if not isinstance(needed, str):  # not UTF-8: the library gives bytes
                raise UsageError(f"{self._what}: {name} imports a file whose name is not text")
            self._add(needed, (*above, name))
        try:
            self._pool.Add(proto)
        except Exception as e:  # TypeError, of what does not fit together
            raise UsageError(f"{self._what}: {name}: {' '.join(str(e).split())[:200]}") from None
        self._added.add(name)


def _well_known(name: str) -> Any:
    """A file that comes with Protobuf, None where it does not."""
    from importlib import import_module

    from google.protobuf import descriptor_pb2

    short = name.removeprefix("google/protobuf/").removesuffix(".proto")
    if short not in _WELL_KNOWN:
        return None
    module = import_module(f"google.protobuf.{short}_pb2")
    proto = descriptor_pb2.FileDescriptorProto()
    module.DESCRIPTOR.CopyToProto(proto)
    return proto


def _reader(descriptor: Any) -> Read:
    from google.protobuf import json_format, message_factory
    from google.protobuf.unknown_fields import UnknownFieldSet

    made: Any = message_factory.GetMessageClass(descriptor)

    def read(data: bytes) -> object:
        message = made()
        try:
            message.ParseFromString(data)
        except Exception:  # its text says nothing of where
            raise DeserializeError(f"no {descriptor.full_name}: cut short or of another") from None
        strange = UnknownFieldSet(message)
        if len(strange) and not message.ListFields():
            raise DeserializeError(f"no {descriptor.full_name}: none of its fields is in it")
        try:
            return json_format.MessageToDict(message, preserving_proto_field_name=True)
        except Exception as e:  # an Any of an unknown type, a time out of range
            raise DeserializeError(f"{descriptor.full_name}: {' '.join(str(e).split())}") from None

    return read


def read_indexes(data: bytes) -> tuple[tuple[int, ...], int]:
    """Confluent's message indexes, and the bytes that they take. DeserializeError.

    A count and as many numbers as zigzag varints; a count of 0 stands for the first message.
    """
    count, at = _zigzag(data, 0)
    if not 0 <= count <= MOST_INDEXES:
        raise DeserializeError(f"{count} message indexes")
    path = []
    for _ in range(count):
        index, at = _zigzag(data, at)
        path.append(index)
    return tuple(path) or (0,), at


def varint(data: bytes, at: int, most: int = 10) -> tuple[int, int]:
    """A number without sign, of at most ``most`` bytes, and where it ends; -1: there is none."""
    value = 0
    for shift, byte in enumerate(data[at : at + most]):
        value |= (byte & 127) << 7 * shift
        if byte < 128:
            return value, at + shift + 1
    return -1, at


def _zigzag(data: bytes, at: int) -> tuple[int, int]:
    value, at = varint(data, at, most=5)
    if value < 0:
        raise DeserializeError("the message indexes are cut short")
    return value >> 1 ^ -(value & 1), at
