"""Who asks, and what they may: what every door asks before it shows or changes something."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.requests import HTTPConnection

from pykafka_ops.monitor.access.model import LOCAL, Person, may


class MonitorAccess:
    """Of a monitor where nobody logs in: everybody who reaches it is the local person.

    ``actions`` are the changes that are switched on, for whoever has the right, too.
    """

    def __init__(self, actions: Iterable[str] = ()) -> None:
        self.actions = frozenset(actions)

    def person_of(self, request: HTTPConnection) -> Person | None:
        """Who asks; None: somebody who has to log in."""
        return LOCAL

    def may(self, person: Person, right: str, cluster: str, name: str) -> bool:
        """Whether the person has the right on a topic, group or broker of that name."""
        return may(person, right, cluster, name, self.actions)

    def may_some(self, person: Person, right: str, cluster: str) -> bool:
        """Whether there can be a name on which the person has the right: is there a way to it?"""
        return may(person, right, cluster, None, self.actions)
