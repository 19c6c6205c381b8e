"""Nobody gets past without being known: every request has its person before a door sees it.

Health, styles and scripts are for all. Who has to log in gets 401, in a
browser the page to log in on.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from starlette.requests import HTTPConnection, Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from pykafka_ops.monitor.access.access import MonitorAccess
from pykafka_ops.monitor.access.model import Person
from pykafka_ops.monitor.http.answers import NO_STORE, refused

OPEN: Final = (
    "/healthz",
    "/readyz",
    "/burrow/admin",
    "/burrow/admin/ready",
    "/api/health",
    "/login",
)
OPEN_BELOW: Final = ("/static/", "/login/")
PROGRAMS: Final = ("/api/", "/v3/", "/burrow/", "/metrics")
"""Addresses that programs ask, which cannot log in on a page."""
KEY: Final = "pko.person"
AGAIN: Final = (
    '<!DOCTYPE html><html lang="en"><head><title>pko monitor</title>'
    '<meta http-equiv="refresh" content="0"></head><body></body></html>\n'
)
"""Loads the same address once more, as a page of our own does."""


class LoginGate:
    """Puts the person into the request, or turns it away."""

    def __init__(self, app: ASGIApp, access: MonitorAccess) -> None:
        self._app, self._access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not _is_open(scope["path"]):
            person = self._access.person_of(HTTPConnection(scope))
            if person is None:
                await _login_first(Request(scope))(scope, receive, send)
                return
            scope[KEY] = person
        await self._app(scope, receive, send)


def person_of(request: Request) -> Person:
    """Who asks. KeyError where the address is open to all."""
    person: Person = request.scope[KEY]
    return person


def may(request: Request, right: str, cluster: str, name: str) -> bool:
    """Whether who asks has the right on a topic, group or broker of that name."""
    access: MonitorAccess = request.app.state.service.access
    return access.may(person_of(request), right, cluster, name)


def may_some(request: Request, right: str, cluster: str) -> bool:
    """Whether there can be a name on which who asks has the right."""
    access: MonitorAccess = request.app.state.service.access
    return access.may_some(person_of(request), right, cluster)


def forbidden(person: Person, right: str, cluster: str, name: str = "") -> Response:
    """403 with the right that is missing."""
    where = f" on {name}" if name else ""
    message = f"{person.name} has no right {right}{where} in cluster {cluster}"
    return refused(403, "FORBIDDEN", message, "roles are in the monitor's configuration")


def _is_open(path: str) -> bool:
    return path in OPEN or path.startswith(OPEN_BELOW)


def _login_first(request: Request) -> Response:
    path = request.url.path
    by_script = request.headers.get("sec-fetch-dest") == "empty"
    if path.startswith(PROGRAMS) or by_script or request.method not in ("GET", "HEAD"):
        answer = refused(401, "LOGIN", "log in first", "scripts send Authorization: Bearer TOKEN")
        answer.headers["WWW-Authenticate"] = 'Bearer realm="pko monitor"'
        return answer
    if request.headers.get("sec-fetch-site") == "cross-site" and not request.cookies:
        # browsers send no SameSite=Strict cookie where a link of another site leads here
        return Response(AGAIN, 200, NO_STORE, "text/html")
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"/login?{urlencode({'next': path + query})}", 303, NO_STORE)
