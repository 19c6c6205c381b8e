"""Instructions of an expression (Thompson's construction)."""

from __future__ import annotations

from typing import Final, NamedTuple

from pykafka_ops.broker.state.groups.consumer.regex.nodes import (
    At,
    Chars,
    Either,
    Empty,
    Node,
    Ranges,
    RegexError,
    Repeat,
    Sequence,
)

MOST: Final = 2_000
"""Instructions: each character of a text takes that many steps at worst."""


class Instruction(NamedTuple):
    """Take a character of ``ranges`` and go on at ``to[0]``; without ranges go on at all of ``to``,
    if ``at`` holds. The end has nowhere to go."""

    to: tuple[int, ...] = ()
    ranges: Ranges | None = None
    at: At | None = None


class Program:
    """Steps from ``start`` on; step 0 is the end."""

    def __init__(self, node: Node) -> None:
        """Raises RegexError for one that is too large."""
        self.steps: list[Instruction] = [Instruction()]
        self.start = self._add(node, 0)

    def _put(self, step: Instruction) -> int:
        if len(self.steps) >= MOST:
            raise RegexError("expression too large")
        self.steps.append(step)
        return len(self.steps) - 1

    def _add(self, node: Node, then: int) -> int:
        """Where to begin for the node, and ``then`` behind it."""
        if isinstance(node, Chars):
            return self._put(Instruction((then,), ranges=node.ranges))
        if isinstance(node, Empty):
            return then if node.at is None else self._put(Instruction((then,), at=node.at))
        if isinstance(node, Sequence):
            for part in reversed(node.parts):
                then = self._add(part, then)
            return then
        if isinstance(node, Either):
            return self._put(Instruction(tuple(self._add(part, then) for part in node.parts)))
        return self._repeat(node, then)

    def _repeat(self, node: Repeat, then: int) -> int:
        if node.most is None:
            loop = self._put(Instruction())
            self.steps[loop] = Instruction((self._add(node.part, loop), then))
            end = loop
        else:
            end = then
            for _ in range(node.most - node.least):
                end = self._put(Instruction((self._add(node.part, end), then)))
        for _ in range(node.least):
            end = self._add(node.part, end)
        return end
