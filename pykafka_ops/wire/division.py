"""A request of many items as several of few, and their answers as one.

A path names the arrays on the way to the items: ``topics.partitions``. Items are taken one after
the other, whatever holds them, so that every part is short.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from copy import copy
from itertools import groupby
from typing import Any

from pykafka_ops.errors import WireError
from pykafka_ops.wire.codec import Ready, encode_items
from pykafka_ops.wire.error_counts import count_all, counter, item_counter
from pykafka_ops.wire.frame import THROTTLE_TIME, framed, response_parts
from pykafka_ops.wire.message import table_of
from pykafka_ops.wire.types import Part, Scalar

Line = tuple[Any, ...]
"""An item behind all that holds it; None stands for the items of an array that has none."""


def lines(holder: Any, path: Sequence[str]) -> Iterator[Line]:
    """Every item at ``path`` in its order."""
    items, rest = getattr(holder, path[0]), path[1:]
    for item in items or (None,):
        if rest and item is not None:
            for line in lines(item, rest):
                yield item, *line
        else:
            yield (item,)


def part_of(holder: Any, path: Sequence[str], taken: Sequence[Line]) -> Any:
    """A message like ``holder``, with nothing but the items in ``taken``."""
    part = copy(holder)
    if len(path) == 1:
        items = [line[0] for line in taken if line[0] is not None]
    else:
        items = [
            part_of(item, path[1:], [line[1:] for line in group])
            for item, group in _by_first(taken)
            if item is not None
        ]
    setattr(part, path[0], items)
    return part


def _by_first(taken: Sequence[Line]) -> Iterator[tuple[Any, list[Line]]]:
    for _, group in groupby(taken, lambda line: id(line[0])):
        found = list(group)
        yield found[0][0], found


class GatheredAnswer:
    """The answers to the parts of a request in ``version``, put together at ``path``.

    What is complete is kept as bytes; of nested arrays the last item stays open, since the next
    part may go on in it. Top-level errors: the first counts. Where the answers have no items, the
    path is empty. ``most`` is how many bytes the whole may have.
    """

    are_codes_counted = False
    """Set where somebody asks for the error codes of all answers."""

    def __init__(self, path: Sequence[str], version: int, most: int) -> None:
        self._path = path
        self._version = version
        self._most = most
        self._shell: Any = None
        self._open: list[Any] = []
        self._encoded: list[Part] = []
        self._count = self._size = 0
        self._codes: dict[int, int] = {}

    def add(self, answer: Any, *, goes_on: bool) -> Generator[None, None, None]:
        """The next answer; ``goes_on``: it may continue the last item. Pauses while it encodes.

        Raises WireError when the whole becomes too long.
        """
        items: list[Any] = []
        if self._path:
            items = getattr(answer, self._path[0]) or []
            setattr(answer, self._path[0], [])
        if self._shell is None:
            self._shell = answer
        else:
            _note_failure(self._shell, answer)
        if goes_on and self._open and items:
            items = _joined(self._open[-1], items, self._path[1:])
        self._open += items
        items = []
        keep = len(self._path) > 1
        yield from self._encode(len(self._open) - keep)

    def finish(self) -> Generator[None, None, None]:
        """No answer follows: encode what is still open."""
        yield from self._encode(len(self._open))

    def _encode(self, count: int) -> Generator[None, None, None]:
        if count <= 0:
            return
        done, self._open = self._open[:count], self._open[count:]
        if self.are_codes_counted:
            count_all(
                item_counter(type(self._shell), self._path[0], self._version), done, self._codes
            )
        done.reverse()
        items = _taken(done)
        found = yield from encode_items(type(self._shell), self._path[0], self._version, items)
        self._count += count
        self._size += sum(map(len, found))
        self._encoded += found
        if self._size > self._most:
            name = table_of(type(self._shell)).name
            raise WireError(f"{name} would have more than {self._most} bytes: ask for less at once")

    @property
    def size(self) -> int:
        """Bytes of the items that are encoded."""
        return self._size

    def count_codes(self, found: dict[int, int]) -> None:
        """Add how often the whole has each error code, if they are counted; before it is framed."""
        for code, number in self._codes.items():
            found[code] = found.get(code, 0) + number
        counter(type(self._shell), self._version)(self._shell, found)

    @property
    def throttle_time_ms(self) -> int:
        """As in the message."""
        return getattr(self._shell, THROTTLE_TIME, 0)

    @throttle_time_ms.setter
    def throttle_time_ms(self, ms: int) -> None:
        if hasattr(self._shell, THROTTLE_TIME):
            self._shell.throttle_time_ms = ms

    def framed(self, correlation_id: int) -> list[Part]:
        """The whole response as buffers; to be called once."""
        parts: list[Part] = []
        if not self._path:
            return response_parts(self._shell, self._version, correlation_id)
        ready = Ready(self._count, self._encoded)
        setattr(self._shell, self._path[0], ready)
        ready.encode_around(self._shell, self._version, parts)
        return framed(parts, type(self._shell), self._version, correlation_id)


def _taken(items: list[Any]) -> Iterator[Any]:
    """From the last to the first; each is gone when the next is asked for."""
    while items:
        yield items.pop()


def _note_failure(whole: Any, answer: Any) -> None:
    if getattr(answer, "error_code", 0) and not whole.error_code:
        whole.error_code = answer.error_code
        if hasattr(answer, "error_message"):
            whole.error_message = answer.error_message


def _joined(last: Any, items: list[Any], path: Sequence[str]) -> list[Any]:
    """The items that follow ``last``, after the first has gone into it where they are one."""
    first = items[0]
    if not path or not _same(last, first):
        return items
    have, more = getattr(last, path[0]), getattr(first, path[0])
    if have and more:
        more = _joined(have[-1], more, path[1:])
    have += more
    return items[1:]


def _same(one: Any, other: Any) -> bool:
    """Whether two items are about the same thing."""
    fields = table_of(type(one)).fields
    names = [f.name for f in fields if isinstance(f.kind, Scalar) and not f.array]
    return all(getattr(one, name) == getattr(other, name) for name in names)
