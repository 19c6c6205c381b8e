"""Whether a text is what an expression describes, from its first character to its last."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Final

from pykafka_ops.broker.state.groups.consumer.regex.classes import WORD
from pykafka_ops.broker.state.groups.consumer.regex.nodes import At, Ranges
from pykafka_ops.broker.state.groups.consumer.regex.parse import Parser
from pykafka_ops.broker.state.groups.consumer.regex.program import Program

MOST_STATES: Final = 1_000
"""Places to be in that are remembered, with what follows from them."""
PAUSE: Final = 20_000
"""Steps between two pauses: a few ms."""
TAKEN: Final = 100
"""What it costs to ask whether a text that matches is taken, in steps."""
_State = tuple[frozenset[int], str]
_NONE = ""
"""What is before the first character and behind the last."""


class Regex:
    """An expression. ``work`` counts the steps that it took so far."""

    def __init__(self, text: str) -> None:
        """Raises RegexError for text that is no expression."""
        program = Program(Parser(text).parse())
        self._steps = program.steps
        self._start: _State = frozenset({program.start}), _NONE
        self._known: dict[tuple[_State, str], _State] = {}
        self.work = 0

    def matches(self, text: str) -> bool:
        """Whether the whole text matches."""
        state = self._start
        for char in text:
            key = state, char
            following = self._known.get(key)
            if following is None:
                if len(self._known) >= MOST_STATES:
                    self._known.clear()
                following = self._known[key] = self._after(state, char)
            self.work += 1
            state = following
            if not state[0]:
                return False
        return 0 in self._closure(state, _NONE)

    def _after(self, state: _State, char: str) -> _State:
        code = ord(char)
        found = set()
        for number in self._closure(state, char):
            step = self._steps[number]
            if step.ranges is not None and _holds(step.ranges, code):
                found.add(step.to[0])
        return frozenset(found), _kind(char)

    def _closure(self, state: _State, following: str) -> set[int]:
        """All steps that are reached without a character."""
        numbers, before = state
        found: set[int] = set()
        todo = list(numbers)
        while todo:
            number = todo.pop()
            if number in found:
                continue
            found.add(number)
            step = self._steps[number]
            if step.ranges is None and (step.at is None or _is_at(step.at, before, following)):
                todo.extend(step.to)
        self.work += len(found)
        return found


def _kind(char: str) -> str:
    """One character for all that conditions do not tell apart."""
    if char == "\n":
        return char
    return "w" if _holds(WORD, ord(char)) else "."


def _holds(ranges: Ranges, code: int) -> bool:
    for first, last in ranges:
        if code <= last:
            return code >= first
    return False


def _is_at(at: At, before: str, following: str) -> bool:
    if at is At.BEGIN:
        return not before
    if at is At.END:
        return not following
    if at is At.BEGIN_LINE:
        return before in (_NONE, "\n")
    if at is At.END_LINE:
        return following in (_NONE, "\n")
    after = bool(following) and _holds(WORD, ord(following))
    return ((before == "w") != after) == (at is At.WORD_EDGE)


def matching(
    patterns: dict[str, Regex], texts: list[str], takes: Callable[[str], bool]
) -> Generator[None, None, dict[str, set[str]]]:
    """Which of the texts match each pattern, by its key, if ``takes`` is true of them, too; pauses
    when that takes long."""
    found: dict[str, set[str]] = {}
    for key, pattern in patterns.items():
        mine = found[key] = set()
        paused = pattern.work
        for text in texts:
            if pattern.matches(text):
                pattern.work += TAKEN
                if takes(text):
                    mine.add(text)
            if pattern.work - paused > PAUSE:
                paused = pattern.work
                yield
    return found
