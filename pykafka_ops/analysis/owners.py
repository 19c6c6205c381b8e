"""Whose topics are whose: by name, or by a pattern with ``*`` and ``?``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

UNOWNED: Final = "unowned"
"""What stands for the owner of a topic that no rule is about."""


@dataclass(frozen=True, slots=True)
class TopicOwner:
    """Who answers for a topic; ``team`` and ``tags`` may be empty."""

    owner: str
    team: str = ""
    tags: tuple[str, ...] = ()


NOBODY: Final = TopicOwner(UNOWNED)


class OwnerRules:
    """Rules of names or patterns, in their order. A name is no pattern: topics have neither ``*``
    nor ``?`` in their names."""

    def __init__(self, rules: Iterable[tuple[str, TopicOwner]]) -> None:
        self._names: dict[str, TopicOwner] = {}
        self._patterns: list[tuple[str, TopicOwner]] = []
        for name, owner in rules:
            if is_pattern(name):
                self._patterns.append((name, owner))
            else:
                self._names[name] = owner
        self._found: dict[str, TopicOwner] = {}

    def of(self, topic: str) -> TopicOwner:
        """The owner by the topic's own name, else by the first pattern that fits; NOBODY where
        none does."""
        found = self._found.get(topic)
        if found is None:
            fits = (owner for pattern, owner in self._patterns if fnmatchcase(topic, pattern))
            found = self._names.get(topic) or next(fits, NOBODY)
            self._found[topic] = found
        return found


def is_pattern(name: str) -> bool:
    """Whether it may stand for more than one topic."""
    return "*" in name or "?" in name
