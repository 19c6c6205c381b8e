"""Declares a protocol struct once, for all its versions.

::

    @message(ApiKey.HEARTBEAT)
    class HeartbeatRequest:
        group_id: str = wire(STRING)
        generation_id: int = wire(INT32)
        member_id: str = wire(STRING)
        group_instance_id: str | None = wire(STRING, "3+", nullable="3+", default=None)

The decorated class has slots, a keyword-only constructor with a default for every field, equality
and a repr. Its table of fields is in ``__wire__``; ``codec`` compiles bytes from it on first use.
Importing a table compiles nothing: the constructor, too, is made at the first call.

Kafka counterpart: the JSON message specifications, with the same names in snake case. A field that
is one struct (not an array) and tagged or nullable is ``None`` when it has its default value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias, TypeVar, dataclass_transform

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.types import NEVER, Range, Scalar, versions_of

T = TypeVar("T")
Kind: TypeAlias = Scalar | type
Function: TypeAlias = Callable[..., Any]

VIEW: Final = 0x10000
"""Added to a version: the decoder that reads from a memoryview."""
STEPS: Final = 0x20000
"""Added to a version with VIEW: the decoder is a generator that pauses every few items."""
UNSET: Final = object()
"""Stands for "Kafka's zero value of this type" as a default."""


class Field:
    """One field of a struct: type, versions in which it exists, may be null, or is tagged."""

    name: str
    kind: Kind
    array: bool
    versions: Range
    nullable: Range
    tag: int | None
    tagged: Range
    default: object
    ignorable: bool

    def exists(self, version: int) -> bool:
        """Whether messages of ``version`` have the field."""
        return self.versions[0] <= version <= self.versions[1]

    def may_be_null(self, version: int) -> bool:
        """Whether null is a legal value in ``version``."""
        return self.nullable[0] <= version <= self.nullable[1]

    def is_tagged(self, version: int) -> bool:
        """Whether ``version`` carries the field among the tagged fields."""
        return self.tagged[0] <= version <= self.tagged[1]


def wire(
    kind: Kind | list[Any],
    versions: str = "0+",
    *,
    nullable: str = "none",
    default: object = UNSET,
    tag: int | None = None,
    ignorable: bool = False,
) -> Any:
    """Describe a field: ``wire(INT32)``, ``wire([STRING], "2+", nullable="2+")``, ``wire(Struct)``.

    A list of one type is an array. ``ignorable``: a value that is not the default is dropped when
    the version has no such field; without it such a message cannot be encoded (WireError).
    """
    field = Field()
    field.array = isinstance(kind, list)
    field.kind = kind[0] if isinstance(kind, list) else kind
    field.versions = versions_of(versions)
    field.nullable = versions_of(nullable)
    field.tag = tag
    field.tagged = field.versions if tag is not None else NEVER
    field.default = _zero(field) if default is UNSET else default
    field.ignorable = ignorable
    return field


def _zero(field: Field) -> object:
    if field.array:
        return []
    if isinstance(field.kind, Scalar):
        return field.kind.zero
    return None if field.tag is not None or field.nullable != NEVER else field.kind


class MessageTable:
    """All that is known of a declared struct.

    ``encoders`` and ``decoders`` are made on demand, for each version; decoders that read from a
    memoryview stand under ``version | VIEW``, generators that do under ``version | STEPS``.
    """

    __slots__ = ("api", "cls", "decoders", "encoders", "fields", "flexible", "versions")

    def __init__(self, cls: type, fields: tuple[Field, ...]) -> None:
        self.cls = cls
        self.fields = fields
        self.api = -1
        self.versions: Range = NEVER
        self.flexible: Range = NEVER
        self.encoders: dict[int, Function] = {}
        self.decoders: dict[int, Function] = {}

    @property
    def name(self) -> str:
        """The class name."""
        return self.cls.__name__

    def is_flexible(self, version: int) -> bool:
        """Whether ``version`` has compact lengths and tagged fields."""
        return self.flexible[0] <= version <= self.flexible[1]


class Struct:
    """Base of every declared class: constructor, equality, repr."""

    __slots__: tuple[str, ...] = ()
    __wire__: MessageTable

    def __init__(self, **values: object) -> None:
        """Compile the class's own constructor, put it in this one's place, and run it."""
        cls = type(self)
        type.__setattr__(cls, "__init__", _constructor(cls.__wire__))
        cls.__init__(self, **values)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, n) == getattr(other, n) for n in type(self).__slots__)

    __hash__ = None  # type: ignore[assignment]  # fields can change

    def __repr__(self) -> str:
        values = ", ".join(f"{n}={getattr(self, n)!r}" for n in type(self).__slots__)
        return f"{type(self).__name__}({values})"


def _constructor(table: MessageTable) -> Function:
    """``__init__`` with one keyword per field; fresh lists and structs for mutable defaults."""
    scope: dict[str, Any] = {"UNSET": UNSET}
    parameters, body = [], []
    for i, field in enumerate(table.fields):
        name, default = field.name, field.default
        if isinstance(default, (list, type)):
            scope[f"make{i}"] = list if isinstance(default, list) else default
            parameters.append(f"{name}=UNSET")
            body.append(f" self.{name} = make{i}() if {name} is UNSET else {name}")
        else:
            scope[f"default{i}"] = default
            parameters.append(f"{name}=default{i}")
            body.append(f" self.{name} = {name}")
    head = f"def __init__(self{', *, ' if parameters else ''}{', '.join(parameters)}):"
    exec("\n".join([head, *(body or [" pass"])]), scope)
    made: Function = scope["__init__"]
    made.__qualname__ = f"{table.name}.__init__"
    return made


@dataclass_transform(kw_only_default=True)
def struct(cls: type[T]) -> type[T]:
    """Make a class of ``wire`` fields a struct that messages can hold."""
    fields = []
    space = {"__doc__": cls.__doc__, "__module__": cls.__module__, "__qualname__": cls.__qualname__}
    for name, value in vars(cls).items():
        if isinstance(value, Field):
            value.name = name
            fields.append(value)
    names = tuple(f.name for f in fields)
    made: Any = type(cls.__name__, (Struct,), {**space, "__slots__": names})
    made.__wire__ = MessageTable(made, tuple(fields))
    return made  # type: ignore[no-any-return]  # the same class, rebuilt with slots


@dataclass_transform(kw_only_default=True)
def message(api: ApiKey) -> Callable[[type[T]], type[T]]:
    """Make a class a whole request or response of an API, in the versions of its row."""

    def decorate(cls: type[T]) -> type[T]:
        made = struct(cls)
        table = table_of(made)
        table.api = int(api)
        table.versions = api.versions
        table.flexible = api.flexible
        return made

    return decorate


def table_of(cls: type) -> MessageTable:
    """The table of a class made by ``struct`` or ``message``; TypeError for any other."""
    table = getattr(cls, "__wire__", None)
    if not isinstance(table, MessageTable):
        raise TypeError(f"{cls.__name__} is not declared with @struct or @message")
    return table
