"""Who asks, where persons have to log in: a token, the name a proxy gives, or a session."""

from __future__ import annotations

import hashlib
import hmac
import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from starlette.requests import HTTPConnection

from pykafka_ops.errors import UsageError
from pykafka_ops.monitor.access.attempts import Attempts
from pykafka_ops.monitor.access.model import ANYBODY, Person, Role
from pykafka_ops.monitor.access.peers import Proxies, block
from pykafka_ops.monitor.access.sessions import Sessions
from pykafka_ops.monitor.access.settings import HEADER, OIDC, USERS, AccessSettings
from pykafka_ops.monitor.access.users import UsersFile

if TYPE_CHECKING:
    from pykafka_ops.monitor.access.oidc import OidcLogin

COOKIE: Final = "pko_session"
TOKEN: Final = "token"
AT_A_TIME: Final = 8
"""Passwords that wait to be checked, so that a crowd of logins stops nothing else."""
LONGEST_NAME: Final = 256
MOST_GROUPS: Final = 1_000
_OPEN_PATHS: Final = {"metrics": ("/metrics",), "v3": ("/v3/",)}


class TooManyTriesError(Exception):
    """Logins of this address failed too often; ``wait_ms`` until the next."""

    def __init__(self, wait_ms: int) -> None:
        super().__init__(f"too many failed logins; try again in {-(-wait_ms // 1000)} s")
        self.wait_ms = wait_ms


class MonitorLogin:
    """All ways to be known. UsageError where the file of users is wrong."""

    def __init__(self, settings: AccessSettings, now: Callable[[], int]) -> None:
        login = settings.login
        self.settings, self._roles, self._tokens = login, settings.roles, settings.tokens
        self.proxies = Proxies(login.proxies)
        self.sessions = Sessions(now, login.idle_ms, login.longest_ms)
        self.attempts = Attempts(now)
        self._places = threading.BoundedSemaphore(AT_A_TIME)
        self.users = UsersFile(os.path.expanduser(login.users_file)) if login.users_file else None
        self.provider = _provider(settings, now) if login.mode == OIDC else None
        self._open = tuple(path for word in login.open for path in _OPEN_PATHS[word])

    def person_of(self, request: HTTPConnection) -> Person | None:
        """Who asks; None: somebody who has to log in."""
        found = self._of_token(request)
        if found is None:
            in_header = self.settings.mode == HEADER
            found = self._of_header(request) if in_header else self._of_session(request)
        if found is None and request.url.path.startswith(self._open):
            return ANYBODY
        return found

    def with_password(self, request: HTTPConnection, name: str, password: str) -> str | None:
        """Log a user in: the secret of the session, None where name or password are wrong.
        TooManyTriesError."""
        address = block(self.proxies.address(request))
        if (wait := self.attempts.begin(address)) > 0:
            raise TooManyTriesError(wait)
        if not self._places.acquire(blocking=False):
            raise TooManyTriesError(1000)
        try:
            stamp = self.users.is_right(name, password) if self.users else None
        finally:
            self._places.release()
        if stamp is None:
            return None
        self.attempts.succeeded(address)
        return self.sessions.open(name, (), stamp)

    def with_identity(self, name: str, groups: tuple[str, ...]) -> str:
        """Log in who a provider says is there: the secret of the session."""
        return self.sessions.open(name, groups)

    def log_out(self, person: Person) -> None:
        """End the person's session."""
        self.sessions.close(person.session)

    def cookie(self, request: HTTPConnection) -> tuple[str, bool]:
        """The name of the cookie, and whether it goes through TLS alone. Monitors on other ports
        of the same host have others."""
        secure = self.settings.url.startswith("https:") or self.proxies.is_secure(request)
        name = f"{COOKIE}_{request.url.port or (443 if secure else 80)}"
        return (f"__Host-{name}" if secure else name), secure

    def roles_of(self, name: str, groups: tuple[str, ...]) -> tuple[Role, ...]:
        """The roles of a person who is in these groups."""
        return tuple(one.role for one in self._roles if one.has(name, groups))

    def _of_token(self, request: HTTPConnection) -> Person | None:
        given = request.headers.getlist("authorization")
        if len(given) != 1:
            return None
        scheme, _, token = given[0].partition(" ")
        if scheme.lower() != "bearer":  # a proxy may pass its own login on
            return None
        digest = hashlib.sha256(token.strip().encode("latin-1", "replace")).hexdigest()
        for known, (name, roles) in self._tokens.items():
            if hmac.compare_digest(known, digest):
                return Person(name, roles, TOKEN)
        return None

    def _of_header(self, request: HTTPConnection) -> Person | None:
        """The name that a trusted proxy gives; a name given twice is nobody's."""
        if not self.proxies.is_proxy(self.proxies.peer(request)):
            return None
        names = request.headers.getlist(self.settings.user_header)
        if len(names) != 1 or not (name := _printable(names[0])) or name.startswith("token:"):
            return None
        listed = ",".join(request.headers.getlist(self.settings.groups_header))
        groups = tuple(g for g in map(_printable, listed.split(",")[:MOST_GROUPS]) if g)
        return Person(name, self.roles_of(name, groups), HEADER)

    def _of_session(self, request: HTTPConnection) -> Person | None:
        name, _ = self.cookie(request)
        secret = request.cookies.get(name)
        if not secret:
            return None
        # what a page fetches by itself keeps nobody logged in
        by_itself = request.headers.get("sec-fetch-dest") == "empty"
        found = self.sessions.find(secret, use=not by_itself or request.scope["method"] != "GET")
        if found is None:
            return None
        if self.settings.mode == USERS:
            assert self.users is not None
            if self.users.hash_of(found.name) != found.stamp:
                self.sessions.close(found.key)
                return None
        roles = self.roles_of(found.name, found.groups)
        return Person(found.name, roles, self.settings.mode, found.key)


def _provider(settings: AccessSettings, now: Callable[[], int]) -> OidcLogin:
    try:
        from pykafka_ops.monitor.access.oidc import OidcLogin
    except ModuleNotFoundError as error:
        raise UsageError(
            f'mode = "oidc" needs a package that is not installed ({error.name}): '
            "pip install 'pykafka-ops[monitor]'"
        ) from None
    return OidcLogin(settings.login, now)


def _printable(text: str) -> str:
    """A name as a proxy writes it, in UTF-8; "" where it is none."""
    try:
        name = text.encode("latin-1").decode("utf-8").strip()
    except UnicodeError:
        return ""
    return name if name.isprintable() and len(name) <= LONGEST_NAME else ""
