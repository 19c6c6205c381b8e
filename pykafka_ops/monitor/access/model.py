"""Persons, their roles, and what these allow. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from pykafka_ops.monitor.access.rights import ACTIONS, MONITOR, SIGHTS, WHOLE

EVERYTHING: Final = re.compile(".*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Role:
    """Rights in the clusters, and on the topics, groups or brokers, whose whole names match.

    ``WHOLE`` and ``MONITOR`` say which rights these patterns do not narrow.
    """

    name: str
    rights: frozenset[str]
    clusters: re.Pattern[str] = EVERYTHING
    names: re.Pattern[str] = EVERYTHING

    def allows(self, right: str, cluster: str, name: str | None) -> bool:
        """Whether it gives a right on ``name``; None: on any name at all."""
        if right not in self.rights or right in MONITOR:
            return right in self.rights
        if self.clusters.fullmatch(cluster) is None:
            return False
        return right in WHOLE or name is None or self.names.fullmatch(name) is not None


@dataclass(frozen=True, slots=True)
class Person:
    """Who asks. ``how`` is how that is known; ``session`` is the id of the login, if any."""

    name: str
    roles: tuple[Role, ...]
    how: str
    session: str = field(default="", repr=False)


LOCAL: Final = Person(
    "local", (Role("local", frozenset({*SIGHTS, *ACTIONS})),), "no login is asked for"
)
"""Everybody, where nobody has to log in."""
ANYBODY: Final = Person("anybody", (Role("open", frozenset({"view"})),), "open to all")
"""Whoever asks for what is open without a login."""


def may(
    person: Person, right: str, cluster: str, name: str | None, switched_on: Iterable[str]
) -> bool:
    """Whether a role of the person allows it; actions must be ``switched_on``, too."""
    if right in ACTIONS and right not in switched_on:
        return False
    return any(role.allows(right, cluster, name) for role in person.roles)
