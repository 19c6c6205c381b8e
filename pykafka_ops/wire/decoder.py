"""Writes the source of ``decode`` for one struct in one version.

Adjacent fixed-size fields, and the first byte of the length that follows them, are unpacked by one
``Struct``. Nothing is trusted: every count is held against the bytes that remain, so that a short
frame cannot make long lists; reading past the end raises IndexError or struct.error, which
``codec`` turns into WireError.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from struct import Struct, unpack_from
from typing import Any

from pykafka_ops.errors import TooManyItemsError, WireError
from pykafka_ops.wire.message import Field, Function, Kind, MessageTable, table_of
from pykafka_ops.wire.source import FunctionSource, pause_after
from pykafka_ops.wire.types import MAX_STRING, RECORDS, STRING, ZERO_UUID, Buffer, Scalar
from pykafka_ops.wire.varint import rest_of_varint, skip_tags, tag_count, tag_head

SHORT = 17
"""Arrays of numbers below this length are unpacked by a ready Struct."""

MAX_ITEMS = 4_000_000
"""Most items in the arrays of one message where nothing else is said; a bound on memory, not of the
protocol. Short arrays of numbers do not count."""


def compile_decoder(
    table: MessageTable, version: int, flexible: bool, *, view: bool, steps: bool
) -> Function:
    """``decode(buf, pos, end, left)`` -> (object, position behind it) for ``version`` of ``table``.

    ``left``: how many items its arrays may have. ``view``: ``buf`` is a memoryview; otherwise it
    has ``decode``, as bytes and bytearray do. ``steps``: it is a generator and yields first the
    object that it will fill, then every few items.
    """
    title = f"{table.name}/v{version}/decode"
    source = FunctionSource(title, "def decode(buf, pos, end, left):", dict(_RUNTIME))
    reader = _Reader(source, version, flexible)
    reader.steps = steps
    if view:
        reader.text = 'str({}, "utf-8")'
    source.add(f"o = new({reader.cls(table)})")
    if steps:
        source.add("yield o")
    reader.struct(table, "o")
    reader.flush()
    source.add("return o, pos")
    if reader.views:
        source.lines.insert(1, " view = memoryview(buf)")
    if reader.budgets:
        source.lines.insert(1, " most = left")
    return source.compile("decode")


class _Reader:
    """Walks a table and writes the statements that decode it."""

    def __init__(self, source: FunctionSource, version: int, flexible: bool) -> None:
        self.source = source
        self.version = version
        self.flexible = flexible
        self.label = ""
        self.text = "{}.decode()"
        self.steps = False
        self.budgets = False
        self.views = False
        self.run: list[tuple[str, str, int]] = []

    def cls(self, table: MessageTable) -> str:
        """The global that holds the class of ``table``."""
        self.source.scope[table.name] = table.cls
        return table.name

    def take(self, code: str, size: int, target: str) -> None:
        """Read a fixed-size value into ``target`` with the next run."""
        self.run.append((code, target, size))

    def flush(self) -> None:
        """Unpack all that is in the run."""
        if not self.run:
            return
        codes = "".join(code for code, _, _ in self.run)
        targets = ", ".join(target for _, target, _ in self.run)
        if codes == "B":
            self.source.add(f"{targets} = buf[pos]")
        else:
            unpack = self.source.packer("unpack_", codes, "unpack_from")
            comma = "," if len(self.run) == 1 else ""
            self.source.add(f"{targets}{comma} = {unpack}(buf, pos)")
        self.source.add(f"pos += {sum(size for _, _, size in self.run)}")
        self.run = []

    def struct(self, table: MessageTable, value: str) -> None:
        """All fields of the struct in the local ``value``."""
        tags = []
        for field in table.fields:
            if not field.exists(self.version):
                self.source.add(f"{value}.{field.name} = {self.default(field)}")
            elif field.is_tagged(self.version):
                self.source.add(f"{value}.{field.name} = {self.default(field)}")
                tags.append(field)
            else:
                self.field(table, field, value)
        if self.flexible:
            self.tags(table, tags, value)

    def default(self, field: Field) -> str:
        """An expression for the value of a field that is not there."""
        default = field.default
        if isinstance(default, list):
            return "[]"
        if isinstance(default, type):
            return f"{self.cls(table_of(default))}()"
        if default == ZERO_UUID:
            return "zero_uuid"
        return repr(default)

    def field(self, table: MessageTable, field: Field, value: str) -> None:
        """An untagged field, or the value of a tagged one."""
        self.label = f"{table.name}.{field.name}"
        target = f"{value}.{field.name}"
        nullable = field.may_be_null(self.version)
        if field.array:
            self.array(field.kind, target, nullable)
        elif not isinstance(field.kind, Scalar):
            self.inner(field.kind, target, nullable)
        elif field.kind.code:
            self.take(field.kind.code, field.kind.size, target)
        else:
            self.block(field.kind, target, nullable)

    def count(self, code: str, *, check: str = "", long: bool = False) -> str:
        """Read a size behind the run; the local that has it, -1 for null.

        ``long``: two bytes are usual, so they are read without a call.
        """
        count = self.source.name("n")
        if not self.flexible:
            self.take(code, 2 if code == "h" else 4, count)
            self.flush()
            return count
        self.take("B", 1, count)
        self.flush()
        with self.source.block(f"if {count} > 127:"):
            if long:
                with self.source.block("if buf[pos] < 128:"):
                    self.source.add(f"{count} += (buf[pos] << 7) - 128; pos += 1")
            with self.source.block("else:") if long else nullcontext():
                self.source.add(f"{count}, pos = rest_of_varint(buf, pos, {count})")
            if check:
                self.source.add(check.format(count))
        self.source.add(f"{count} -= 1")
        return count

    @contextmanager
    def unless_null(self, nullable: bool, size: str, target: str) -> Iterator[None]:
        """What is read where the size in the local ``size`` does not say null."""
        if nullable:
            with self.source.block(f"if {size} == -1:"):
                self.source.add(f"{target} = None")
        with self.source.block("else:") if nullable else nullcontext():
            yield

    def block(self, kind: Kind, target: str, nullable: bool) -> None:
        """A string, bytes or records."""
        if kind is STRING:
            check = f"if {{}} > {MAX_STRING + 1}: raise too_long({self.label!r})"
            count = self.count("h", check=check)
        else:
            count = self.count("i", long=True)
        with self.unless_null(nullable, count, target):
            stop = self.source.name("p")
            self.source.add(f"{stop} = pos + {count}")
            self.source.add(f"if not pos <= {stop} <= end: raise bad_size({self.label!r}, {count})")
            if kind is STRING:
                self.source.add(f"{target} = {self.text.format(f'buf[pos:{stop}]')}")
            elif kind is RECORDS:
                self.source.add(f"{target} = view[pos:{stop}]")
                self.views = True
            else:
                self.source.add(f"{target} = bytes(buf[pos:{stop}])")
            self.source.add(f"pos = {stop}")

    def array(self, kind: Kind, target: str, nullable: bool) -> None:
        """A count, then the elements."""
        count = self.count("i")
        with self.unless_null(nullable, count, target):
            enough = f"0 <= {count} * {smallest(kind, self.version, self.flexible)} <= end - pos"
            self.source.add(f"if not {enough}: raise bad_size({self.label!r}, {count})")
            if isinstance(kind, Scalar) and kind.code:
                self.numbers(kind, target, count)
            else:
                self.spend(count)
                self.elements(kind, target, count)

    def spend(self, count: str) -> None:
        """Items are about to be read: refuse those that are too many."""
        self.budgets = True
        self.source.add(f"left -= {count}")
        self.source.add(f"if left < 0: raise too_many({self.label!r}, most)")

    def numbers(self, kind: Scalar, target: str, count: str) -> None:
        """An array of fixed-size values in one unpack."""
        unpackers = f"unpackers_{kind.name}"
        self.source.scope[unpackers] = number_unpackers(kind.code)
        short = f"{unpackers}[{count}](buf, pos)"
        long = f"long_array({kind.code!r}, {count}, buf, pos)"
        with self.source.block(f"if {count} < {SHORT}:"):
            self.source.add(f"{target} = list({short})")
        with self.source.block("else:"):
            self.spend(count)
            self.source.add(f"{target} = list({long})")
        self.source.add(f"pos += {count} * {kind.size}")

    def elements(self, kind: Kind, target: str, count: str) -> None:
        """An array of strings or structs."""
        items = self.source.name("v")
        self.source.add(f"{target} = {items} = []")
        item = self.source.name("o")
        number = self.source.name("i") if self.steps else "_"
        with self.source.block(f"for {number} in range({count}):"):
            if isinstance(kind, Scalar):
                self.block(kind, item, False)
                self.source.add(f"{items}.append({item})")
            else:
                table = table_of(kind)
                self.source.add(f"{item} = new({self.cls(table)})")
                self.source.add(f"{items}.append({item})")
                self.struct(table, item)
                self.flush()
            if self.steps:
                self.source.add(pause_after(number))

    def inner(self, kind: type, target: str, nullable: bool) -> None:
        """One struct; a nullable one behind a byte that says whether it is there."""
        table = table_of(kind)
        item, flag = self.source.name("o"), ""
        if nullable:
            flag = self.source.name("n")
            self.take("b", 1, flag)
            self.flush()
        with self.unless_null(nullable, flag, target):
            if nullable:
                self.source.add(f"if {flag} != 1: raise bad_size({self.label!r}, {flag})")
            self.source.add(f"{target} = {item} = new({self.cls(table)})")
            self.struct(table, item)
            if nullable:
                self.flush()

    def tags(self, table: MessageTable, fields: list[Field], value: str) -> None:
        """Tagged fields: the known ones are read, others stepped over."""
        count = self.source.name("t")
        self.take("B", 1, count)
        self.flush()
        if not fields:
            self.source.add(f"if {count}: pos = skip_tags(buf, pos, end, {count})")
            return
        with self.source.block(f"if {count}:"):
            self.source.add(f"{count}, pos = tag_count(buf, pos, end, {count})")
            with self.source.block(f"for _ in range({count}):"):
                tag, stop = self.source.name("tag"), self.source.name("p")
                self.source.add(f"{tag}, pos, {stop} = tag_head(buf, pos, end)")
                for field in fields:
                    with self.source.block(f"if {tag} == {field.tag}:"):
                        self.field(table, field, value)
                        self.flush()
                        self.source.add(f"if pos != {stop}: raise bad_tag({self.label!r})")
                self.source.add(f"pos = {stop}")


def smallest(kind: Kind, version: int, flexible: bool) -> int:
    """Fewest bytes one array element can take; at least 1, so that counts are always bounded."""
    if isinstance(kind, Scalar):
        return kind.size or (1 if flexible else 2 if kind is STRING else 4)
    size = 1 if flexible else 0
    for field in table_of(kind).fields:
        if field.exists(version) and not field.is_tagged(version):
            if field.array:
                size += 1 if flexible else 4
            elif not isinstance(field.kind, Scalar) and field.may_be_null(version):
                size += 1
            else:
                size += smallest(field.kind, version, flexible)
    return max(size, 1)


def number_unpackers(code: str) -> tuple[Function, ...]:
    """For each short count: unpack that many values."""
    return tuple(Struct(f">{code * n}").unpack_from for n in range(SHORT))


def long_array(code: str, count: int, buf: Buffer, pos: int) -> tuple[Any, ...]:
    """Unpack ``count`` values."""
    return unpack_from(f">{code * count if code == '16s' else f'{count}{code}'}", buf, pos)


def bad_size(name: str, size: int) -> WireError:
    """The error for a size that is negative, null where null is not allowed, or past the end."""
    if size == -1:
        return WireError(f"{name} is null, which this version does not allow")
    return WireError(f"{name} has a size of {size}, which does not fit the message")


def bad_tag(name: str) -> WireError:
    """The error for a tagged field whose value is not as long as it says."""
    return WireError(f"{name} is tagged with a size that does not fit its value")


def too_many(name: str, most: int) -> TooManyItemsError:
    """The error for a message whose arrays hold more items than the limit allows."""
    return TooManyItemsError(f"{name} brings the message to more than {most} items")


def too_long(name: str) -> WireError:
    """The error for a string longer than Kafka reads."""
    return WireError(f"{name} is longer than {MAX_STRING} bytes")


_RUNTIME: dict[str, Any] = {
    "bad_size": bad_size,
    "bad_tag": bad_tag,
    "long_array": long_array,
    "new": object.__new__,
    "rest_of_varint": rest_of_varint,
    "skip_tags": skip_tags,
    "tag_count": tag_count,
    "tag_head": tag_head,
    "too_long": too_long,
    "too_many": too_many,
    "zero_uuid": ZERO_UUID,
}
