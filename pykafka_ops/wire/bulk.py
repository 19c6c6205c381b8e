"""How much stands in a message, and how to be rid of it in little steps."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from pykafka_ops.wire.message import Struct, table_of
from pykafka_ops.wire.types import Scalar

LONG = 10_000
"""Items of an array that is not looked into: it is too long in any case."""
AT_ONCE = 64
"""Items that are dropped in a step."""

_known: dict[type, tuple[tuple[str, bool], ...]] = {}


def weight(item: object) -> int:
    """How many items stand in an item, it included; numbers and texts count, too."""
    count = 1
    for name, has_inner in _arrays(type(item)):
        inner = getattr(item, name) or ()
        is_flat = not has_inner or len(inner) > LONG
        count += len(inner) if is_flat else sum(map(weight, inner))
    return count


def beside(holder: object, name: str) -> int:
    """How many items stand in the other arrays of a message."""
    others = (getattr(holder, other) or () for other, _ in _arrays(type(holder)) if other != name)
    return sum(len(items) if len(items) > LONG else sum(map(weight, items)) for items in others)


def long_array(holder: object, most: int) -> str | None:
    """The first array of structs in a message that holds more than ``most`` items, those in its
    items included."""
    structs = {f.name for f in table_of(type(holder)).fields if isinstance(f.kind, type)}
    for name, has_inner in _arrays(type(holder)):
        if name in structs and _left(getattr(holder, name) or (), has_inner, most) < 0:
            return name
    return None


def _left(items: Sequence[object], has_inner: bool, left: int) -> int:
    left -= len(items)
    for item in items if has_inner else ():
        for name, inner in _arrays(type(item)):
            if left < 0:
                return left
            left = _left(getattr(item, name) or (), inner, left)
    return left


def empty(holder: Any, path: Sequence[str]) -> Generator[None, None, None]:
    """Take the items at ``path`` out; what stands in them may be in use elsewhere."""
    items, rest = getattr(holder, path[0]), path[1:]
    while items:
        if rest:
            yield from empty(items.pop(), rest)
        else:
            del items[-AT_ONCE:]
        yield


def scrap(holder: object) -> Generator[None, None, None]:
    """Take all items out of a message that nobody has seen; it need not be complete."""
    for name, has_inner in _arrays(type(holder)):
        items = getattr(holder, name, None)
        while items:
            if has_inner:
                yield from scrap(items.pop())
            else:
                del items[-AT_ONCE:]
            yield


def _arrays(cls: type) -> tuple[tuple[str, bool], ...]:
    """The arrays of a class, and whether their items have arrays."""
    found = _known.get(cls)
    if found is None:
        fields = table_of(cls).fields if issubclass(cls, Struct) else ()
        arrays = (field for field in fields if field.array)
        _known[cls] = found = tuple(
            (f.name, not isinstance(f.kind, Scalar) and bool(_arrays(f.kind))) for f in arrays
        )
    return found
