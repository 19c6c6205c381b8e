"""Shapes of requests that a connection knows: each has the one that is asked after it."""

from __future__ import annotations

from collections.abc import Sequence

from pykafka_ops.broker.hot.serving import Shape


def listed(first: Shape | None) -> list[Shape]:
    """Those that are asked, in this order, from the ``first`` on."""
    found = []
    while first is not None:
        found.append(first)
        first = first.after
    return found


def chained(shapes: Sequence[Shape]) -> Shape | None:
    """The first of them, if there is one; each is asked when the one before has no answer."""
    first: Shape | None = None
    for shape in reversed(shapes):
        shape.after, first = first, shape
    return first
