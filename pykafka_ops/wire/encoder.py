"""Writes the source of ``encode`` for one struct in one version.

The function appends byte strings to the list ``out``. Adjacent fixed-size fields, and the length
that follows them, are packed by one ``Struct``. Positions in ``out`` of records, which the caller
may want to send without a copy, go to the list ``cuts``.
"""

from __future__ import annotations

from contextlib import nullcontext
from struct import Struct, pack
from typing import Any

from pykafka_ops.errors import WireError
from pykafka_ops.wire.message import Field, Function, Kind, MessageTable, table_of
from pykafka_ops.wire.source import FunctionSource, pause_after
from pykafka_ops.wire.types import BYTES, MAX_STRING, STRING, ZERO_UUID, Scalar
from pykafka_ops.wire.varint import varint

SHORT = 17
"""Arrays of numbers below this length are packed together with their length by a ready Struct."""

CUT_AT = 2047
"""Records longer than this stay separate buffers where the caller can send several."""


def compile_encoder(table: MessageTable, version: int, flexible: bool, *, steps: bool) -> Function:
    """``encode(message, out, cuts)`` for ``version`` of the struct of ``table``.

    ``steps``: it is a generator and yields every few items.
    """
    title = f"{table.name}/v{version}/encode"
    source = FunctionSource(title, "def encode(o, out, cuts):", dict(_RUNTIME))
    writer = _Writer(source, version, flexible)
    writer.steps = steps
    if steps:
        source.add("yield")
    writer.struct(table, "o")
    writer.flush()
    source.add("return")
    return source.compile("encode")


class _Writer:
    """Walks a table and writes the statements that encode it."""

    def __init__(self, source: FunctionSource, version: int, flexible: bool) -> None:
        self.source = source
        self.version = version
        self.flexible = flexible
        self.label = ""
        self.out = "out"
        self.steps = False
        self.run: list[tuple[str, str]] = []

    def emit(self, *extra: tuple[str, str]) -> None:
        """Pack the fixed-size values waiting in ``run``, and ``extra``; ``run`` stays."""
        run = [*self.run, *extra]
        if not run:
            return
        if all(value.isdigit() for _, value in run) and all(code == "B" for code, _ in run):
            packed = repr(bytes(int(value) for _, value in run))
        else:
            pack = self.source.packer("pack_", "".join(code for code, _ in run), "pack")
            packed = f"{pack}({', '.join(value for _, value in run)})"
        self.source.add(f"{self.out}.append({packed})")

    def flush(self, *extra: tuple[str, str]) -> None:
        """As ``emit``; the run is done with."""
        self.emit(*extra)
        self.run = []

    def struct(self, table: MessageTable, value: str) -> None:
        """All fields of the struct in the local ``value``."""
        tags = []
        for field in table.fields:
            here = f"{value}.{field.name}"
            self.label = f"{table.name}.{field.name}"
            if not field.exists(self.version):
                self.absent(field, here)
            elif field.is_tagged(self.version):
                tags.append(field)
            else:
                self.field(field, here)
        if tags:
            self.tags(tags, value)
        elif self.flexible:
            self.run.append(("B", "0"))

    def absent(self, field: Field, here: str) -> None:
        """A field the version lacks: only its default may be dropped, unless it is ignorable."""
        if not field.ignorable:
            with self.source.block(f"if {self.is_set(field, here)}:"):
                self.source.add(f"raise absent({self.label!r}, {self.version})")

    def is_set(self, field: Field, here: str) -> str:
        """An expression that is true when the field does not have its default value."""
        default = field.default
        if default is None:
            return f"{here} is not None"
        if isinstance(default, type):
            return f"{here} != {self.source.constant('default', default())}"
        if not default and not (field.array and field.nullable[0] <= field.nullable[1]):
            return here
        if default == ZERO_UUID:
            return f"{here} != {self.source.constant('default', default)}"
        return f"{here} != {default!r}"

    def field(self, field: Field, here: str) -> None:
        """An untagged field, or the value of a tagged one."""
        nullable = field.may_be_null(self.version)
        if field.array:
            self.array(field.kind, here, nullable)
        elif not isinstance(field.kind, Scalar):
            self.inner(field.kind, here, nullable)
        elif field.kind.code:
            self.run.append((field.kind.code, here))
        elif field.kind is STRING:
            self.string(here, nullable)
        else:
            self.bytes(field.kind, here, nullable)

    def sized(self, value: str, get: str, size: str, nullable: bool, empty: str) -> str:
        """Assign ``get`` to the local ``value``; the local with its size (+1 where compact)."""
        count = self.source.name("n")
        plus = " + 1" if self.flexible else ""
        if nullable:
            with self.source.block(f"if {get} is None:"):
                self.source.add(f"{count} = {0 if self.flexible else -1}; {value} = {empty}")
        with self.source.block("else:") if nullable else nullcontext():
            self.source.add(f"{value} = {size.partition('|')[0].format(get)}")
            self.source.add(f"{count} = {size.partition('|')[2].format(value)}{plus}")
        return count

    def length(self, count: str, code: str, *, long: bool = False, check: str = "") -> None:
        """Write the size in the local ``count`` behind the run, and end the run."""
        if not self.flexible:
            self.flush((code, count))
            return
        with self.source.block(f"if {count} < 128:"):
            self.emit(("B", count))
        if long:
            with self.source.block(f"elif {count} < 16384:"):
                self.emit(("B", f"{count} & 127 | 128"), ("B", f"{count} >> 7"))
        with self.source.block("else:"):
            if check:
                self.source.add(check)
            self.flush()
            self.source.add(f"{self.out}.append(varint({count}))")

    def string(self, get: str, nullable: bool) -> None:
        """UTF-8 bytes behind an int16 or a varint."""
        value = self.source.name("s")
        count = self.sized(value, get, "{}.encode()|len({})", nullable, 'b""')
        self.length(count, "h", check=f"check_string({count}, {self.label!r})")
        self.source.add(f"{self.out}.append({value})")

    def bytes(self, kind: Kind, get: str, nullable: bool) -> None:
        """Bytes behind an int32 or a varint; records may come in several buffers."""
        value = self.source.name("b")
        if kind is BYTES:
            count = self.sized(value, get, "{}|len({})", nullable, 'b""')
            self.length(count, "i")
            self.source.add(f"{self.out}.append({value})")
            return
        size = "len({0}) if type({0}) is not list else sum(map(len, {0}))"
        size = size if not self.flexible else f"({size})"
        count = self.sized(value, get, "{}|" + size, nullable, 'b""')
        self.length(count, "i", long=True)
        with self.source.block(f"if type({value}) is list:"):
            self.source.add(f"add_parts({value}, {self.out}, cuts)")
        with self.source.block("else:"):
            self.source.add(f"if {count} > {CUT_AT}: cuts.append(len({self.out}))")
            self.source.add(f"{self.out}.append({value})")

    def array(self, kind: Kind, get: str, nullable: bool) -> None:
        """A count, then the elements."""
        value = self.source.name("v")
        count = self.sized(value, get, "{}|len({})", nullable, "()")
        if isinstance(kind, Scalar) and kind.code:
            self.numbers(kind, value, count)
            return
        self.length(count, "i")
        item = self.source.name("o")
        number = self.source.name("i") if self.steps else ""
        each = f"{number}, {item} in enumerate({value})" if number else f"{item} in {value}"
        with self.source.block(f"for {each}:"):
            if isinstance(kind, Scalar):
                self.string(item, False)
            else:
                self.struct(table_of(kind), item)
            self.flush()
            if number and self.out == "out":
                self.source.add(pause_after(number))

    def numbers(self, kind: Scalar, value: str, count: str) -> None:
        """An array of fixed-size values, count and values in one pack."""
        self.flush()
        packers = f"packers_{kind.name}"
        self.source.scope[packers] = number_packers(kind.code, self.flexible)
        short = f"{packers}[{count}]({count}, *{value})"
        long = f"long_array({kind.code!r}, {self.flexible}, {value})"
        self.source.add(f"{self.out}.append({short} if {count} < {SHORT} else {long})")

    def inner(self, kind: type, get: str, nullable: bool) -> None:
        """One struct; a nullable one behind a byte that says whether it is there."""
        item = self.source.name("o")
        self.source.add(f"{item} = {get}")
        if not nullable:
            self.struct(table_of(kind), item)
            return
        with self.source.block(f"if {item} is None:"):
            self.emit(("b", "-1"))
        with self.source.block("else:"):
            self.run.append(("b", "1"))
            self.struct(table_of(kind), item)
            self.flush()

    def tags(self, fields: list[Field], value: str) -> None:
        """Tagged fields: one zero byte when all have their defaults, as they mostly do."""
        tests = [self.is_set(field, f"{value}.{field.name}") for field in fields]
        with self.source.block(f"if not ({' or '.join(tests)}):"):
            self.emit(("B", "0"))
        with self.source.block("else:"):
            self.flush()
            out, parts = self.out, self.source.name("tags")
            self.source.add(f"{parts} = []")
            for field, test in sorted(zip(fields, tests, strict=True), key=lambda p: p[0].tag or 0):
                here = f"{value}.{field.name}"
                if field.default is None and isinstance(field.kind, type):
                    test += f" and {here} != {self.source.constant('default', field.kind())}"
                with self.source.block(f"if {test}:"):
                    self.out = self.source.name("part")
                    self.source.add(f"{self.out} = []; {parts}.append(({field.tag}, {self.out}))")
                    self.field(field, here)
                    self.flush()
            self.out = out
            self.source.add(f"add_tags({out}, {parts})")


def number_packers(code: str, flexible: bool) -> dict[int, Function]:
    """For each short count as the wire has it: pack the count and that many values."""
    if flexible:
        counts = {n + 1: Struct(f">B{code * n}").pack for n in range(SHORT - 1)}
        return {0: Struct(">B").pack, **counts}
    counts = {n: Struct(f">i{code * n}").pack for n in range(SHORT)}
    return {-1: Struct(">i").pack, **counts}


def long_array(code: str, flexible: bool, values: list[Any]) -> bytes:
    """A packed array of any length."""
    count = len(values)
    head = varint(count + 1) if flexible else pack(">i", count)
    return head + pack(f">{code * count if code == '16s' else f'{count}{code}'}", *values)


def check_string(count: int, name: str) -> None:
    """Refuse a string of ``count`` - 1 bytes when that is more than Kafka reads."""
    if count > MAX_STRING + 1:
        raise WireError(f"{name} is {count - 1} bytes long, at most {MAX_STRING} can be sent")


def absent(name: str, version: int) -> WireError:
    """The error for a value that the version cannot carry."""
    return WireError(f"version {version} has no field {name}; leave it at its default")


def add_tags(out: list[Any], parts: list[tuple[int, list[bytes]]]) -> None:
    """Write the tagged fields of a struct: count, then tag, size and value of each."""
    out.append(varint(len(parts)))
    for tag, chunks in parts:
        value = b"".join(chunks)
        out.extend((varint(tag), varint(len(value)), value))


def add_parts(buffers: list[Any], out: list[Any], cuts: list[int]) -> None:
    """Append records that come in several buffers."""
    for buffer in buffers:
        if len(buffer) > CUT_AT:
            cuts.append(len(out))
        out.append(buffer)


_RUNTIME: dict[str, Any] = {
    "absent": absent,
    "add_parts": add_parts,
    "add_tags": add_tags,
    "check_string": check_string,
    "long_array": long_array,
    "varint": varint,
}
