"""The application: every route, and what holds for all of them.

The page comes from here alone: no script, style, picture or connection of another origin is
allowed (CSP). A ``Host`` that is not ours is refused, so that no page of another site can ask
through a name that it points here (DNS rebinding).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pykafka_ops.monitor.http.answers import refused
from pykafka_ops.monitor.http.gate import LoginGate, person_of
from pykafka_ops.monitor.service import Service

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
)
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}
LONGEST_URL: Final = 8192


def make_app(
    service: Service, routes: Iterable[BaseRoute], hosts: Sequence[str] | None = None
) -> Starlette:
    """The application. ``hosts`` are the names it may be called by; None: any."""
    own = [
        Route("/healthz", lambda _: PlainTextResponse("ok\n"), name="healthz"),
        Route("/readyz", _ready, name="readyz"),
    ]
    app = Starlette(
        routes=[*own, *routes],
        middleware=[
            Middleware(_Guard, hosts=hosts),
            Middleware(GZipMiddleware, minimum_size=1024, compresslevel=5),
            Middleware(LoginGate, access=service.access),
        ],
        exception_handlers={404: _nothing, 405: _wrong_method, 500: _broken},
    )
    app.state.service = service
    return app


def service_of(request: Request) -> Service:
    """The service as who asks may see it: clusters without the right ``view`` are not there."""
    service: Service = request.app.state.service
    return service.seen_by(person_of(request))


def whole_service(request: Request) -> Service:
    """The service with all clusters, for what shows nothing of them."""
    service: Service = request.app.state.service
    return service


def _ready(request: Request) -> Response:
    if whole_service(request).is_ready():
        return PlainTextResponse("ready\n")
    return PlainTextResponse("starting: the first round is under way\n", 503)


def _nothing(request: Request, error: Exception) -> Response:
    return refused(404, "NOT_FOUND", "there is nothing at this address")


def _wrong_method(request: Request, error: Exception) -> Response:
    answer = refused(405, "METHOD_NOT_ALLOWED", f"{request.method} is not for this address")
    if isinstance(error, HTTPException):
        answer.headers.update(error.headers or {})  # Allow
    return answer


def _broken(request: Request, error: Exception) -> Response:
    return refused(500, "INTERNAL", "the monitor failed; its log says why")


class _Guard:
    """Refuses foreign hosts and endless addresses; adds the headers of ``HEADERS``."""

    def __init__(self, app: ASGIApp, hosts: Sequence[str] | None) -> None:
        self._app = app
        self._hosts = None if hosts is None else frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refusal = self._refusal(scope)
        await (refusal or self._app)(scope, receive, guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        if len(scope["path"]) + len(scope["query_string"]) > LONGEST_URL:
            return refused(414, "URI_TOO_LONG", "the address is too long")
        if self._hosts is not None and _host(scope) not in self._hosts:
            return refused(
                421,
                "WRONG_HOST",
                "the monitor is not known by this name",
                "name it in allowed-hosts of the monitor's configuration",
            )
        return None


def _host(scope: Scope) -> str:
    """The name in ``Host``, without the port."""
    given = next((v for k, v in scope["headers"] if k == b"host"), b"").decode("latin-1")
    if given.startswith("["):
        return given[1:].partition("]")[0]
    return given.partition(":")[0].lower()
