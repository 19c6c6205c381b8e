"""Which topics a link mirrors, and why or why not. Pure.

Source: MirrorSourceConnector.shouldReplicateTopic, DefaultTopicFilter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pykafka_ops.mirror.control.state import PROMOTED, ControlState
from pykafka_ops.mirror.naming import (
    HEARTBEATS,
    MOST_CHARACTERS,
    Naming,
    is_internal,
    is_own_group,
)
from pykafka_ops.mirror.settings.model import LinkSettings
from pykafka_ops.security.java_patterns import compiled


class Choice(NamedTuple):
    """A topic of the source, its name at the target, whether it is mirrored, and why (not)."""

    topic: str
    target: str
    mirrored: bool
    why: str
    conflict: bool = False
    """Whether it would be mirrored, were it not for something that a person has to decide."""


class Patterns:
    """Regular expressions that match whole names. SettingError."""

    def __init__(self, texts: Sequence[str], setting: str) -> None:
        self._all: list[tuple[str, re.Pattern[str]]] = [
            (text, compiled(text, setting)) for text in texts
        ]

    def first(self, name: str) -> str | None:
        """The first that matches, as it is written; None."""
        return next((text for text, found in self._all if found.fullmatch(name)), None)


class LinkChooser:
    """Judges names by a link's settings. ``reverse`` is the control state of the link in the other
    direction, which lies at the source; ``own`` is that of this link, at the target."""

    def __init__(self, link: LinkSettings) -> None:
        self.naming = Naming.of(link)
        self._link = link
        self._topics = Patterns(link.topics, "topics")
        self._not_topics = Patterns(link.exclude_topics, "exclude-topics")
        self._groups = Patterns(link.groups, "groups")
        self._not_groups = Patterns(link.exclude_groups, "exclude-groups")
        self._adopt = Patterns(link.adopt, "adopt")

    def topic(
        self,
        name: str,
        own: ControlState | None = None,
        reverse: ControlState | None = None,
        target_topics: Iterable[str] = (),
    ) -> Choice:
        """Judge one topic. ``target_topics``: those that are at the target now."""
        target = self.naming.target_topic(name)
        why = self._by_name(name, target)
        if why is not None:
            return Choice(name, target, False, why)
        matched = self._topics.first(name)
        if self._link.mm2 and name.endswith(HEARTBEATS):
            matched = HEARTBEATS
        elif (excluded := self._not_topics.first(name)) is not None:
            return Choice(name, target, False, f"excluded by {excluded}")
        if matched is None:
            return Choice(name, target, False, "no pattern of topics matches")
        why = self._by_origin(name, target, own, reverse)
        if why is not None:
            return Choice(name, target, False, why)
        if self._is_foreign(target, own, target_topics):
            return Choice(name, target, False, self._foreign(target), conflict=True)
        return Choice(name, target, True, f"matches {matched}")

    def group(self, name: str) -> Choice:
        """Judge a consumer group."""
        if is_own_group(name):
            return Choice(name, name, False, "a mirror's own group")
        if (excluded := self._not_groups.first(name)) is not None:
            return Choice(name, name, False, f"excluded by {excluded}")
        matched = self._groups.first(name)
        if matched is None:
            return Choice(name, name, False, "no pattern of groups matches")
        return Choice(name, name, True, f"matches {matched}")

    def _by_name(self, name: str, target: str) -> str | None:
        if is_internal(name):
            return "an internal topic"
        if self.naming.goes_round(name):
            return f"came from {self._link.target}: it would go round in a loop"
        if len(target) > MOST_CHARACTERS:
            return f"{target[:40]}... would have more than {MOST_CHARACTERS} characters"
        return None

    def _by_origin(
        self, name: str, target: str, own: ControlState | None, reverse: ControlState | None
    ) -> str | None:
        if reverse is not None and reverse.made_here(name):
            return f"is itself mirrored from {self._link.target}"
        if own is not None and (origin := own.topics.get(target)) and origin.state == PROMOTED:
            return f"{target} was given to {self._link.target} by a failover"
        return None

    def _is_foreign(
        self, target: str, own: ControlState | None, target_topics: Iterable[str]
    ) -> bool:
        """Whether the target has a topic of the same name that no mirror made. With a prefix the
        name says who made it, as MirrorMaker 2 would have."""
        if not self.naming.identity or target not in target_topics:
            return False
        return (own is None or not own.made_here(target)) and self._adopt.first(target) is None

    def _foreign(self, target: str) -> str:
        return (
            f"{self._link.target} has a topic {target} that this link did not make: "
            'name it in adopt = ["..."] to write into it'
        )
