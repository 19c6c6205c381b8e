"""Who asks, and what they may: what every door asks before it shows or changes something."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable

from starlette.requests import HTTPConnection

from pykafka_ops.monitor.access.login import MonitorLogin
from pykafka_ops.monitor.access.model import LOCAL, Person, may
from pykafka_ops.monitor.access.peers import Proxies


class MonitorAccess:
    """``actions`` are the changes that are switched on, for whoever has the right, too. Without a
    ``login`` everybody who reaches the monitor is the local person."""

    def __init__(self, actions: Iterable[str] = (), login: MonitorLogin | None = None) -> None:
        self.actions, self.login = frozenset(actions), login
        self._secret = secrets.token_bytes(32)

    def person_of(self, request: HTTPConnection) -> Person | None:
        """Who asks; None: somebody who has to log in."""
        return LOCAL if self.login is None else self.login.person_of(request)

    def may(self, person: Person, right: str, cluster: str, name: str) -> bool:
        """Whether the person has the right on a topic, group or broker of that name."""
        return may(person, right, cluster, name, self.actions)

    def may_some(self, person: Person, right: str, cluster: str) -> bool:
        """Whether there can be a name on which the person has the right: is there a way to it?"""
        return may(person, right, cluster, None, self.actions)

    def address(self, request: HTTPConnection) -> str:
        """Where a request comes from."""
        proxies = self.login.proxies if self.login else Proxies()
        return proxies.address(request)

    def form_token(self, person: Person) -> str:
        """What the forms of the person's pages carry: pages of other sites cannot know it."""
        key = f"{person.how}\n{person.session or person.name}"
        return hmac.new(self._secret, key.encode("utf-8", "replace"), hashlib.sha256).hexdigest()

    def is_own_form(self, person: Person, token: str) -> bool:
        """Whether a form came from a page of this person."""
        return hmac.compare_digest(self.form_token(person).encode(), token.encode())
