"""Log in and out with a browser."""

from __future__ import annotations

import logging
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from pykafka_ops.monitor.access.access import MonitorAccess
from pykafka_ops.monitor.access.login import MonitorLogin, TooManyTriesError
from pykafka_ops.monitor.access.passwords import LONGEST
from pykafka_ops.monitor.access.provider import CALLBACK, OidcError
from pykafka_ops.monitor.access.settings import OIDC, USERS
from pykafka_ops.monitor.actions.desk import ChangeDesk
from pykafka_ops.monitor.http.answers import NO_STORE
from pykafka_ops.monitor.http.forms import BadBodyError, foreign, forged, read_form
from pykafka_ops.monitor.http.gate import person_of
from pykafka_ops.monitor.http.paging import html
from pykafka_ops.monitor.pages.login import arrived_page, login_page

WRONG: Final = "The name or the password is wrong."
log = logging.getLogger(__name__)


def routes() -> list[BaseRoute]:
    """The routes of this door."""
    return [
        Route("/login", _show, methods=["GET"]),
        Route("/login", _log_in, methods=["POST"]),
        Route("/login/begin", _begin, methods=["GET"]),
        Route(CALLBACK, _come_back, methods=["GET"]),
        Route("/logout", _log_out, methods=["POST"]),
    ]


def local_path(text: str) -> str:
    """Where to go on after a login: a path of ours, else the front."""
    is_path = text.startswith("/") and not text.startswith(("//", "/\\", "/login"))
    return text if is_path and text.isprintable() and len(text) <= 4096 else "/"


def _login_of(request: Request) -> MonitorLogin | None:
    access: MonitorAccess = request.app.state.service.access
    return access.login


def _show(request: Request) -> Response:
    login, following = _login_of(request), local_path(request.query_params.get("next", "/"))
    if login is None or login.person_of(request) is not None:
        return RedirectResponse(following, 303, NO_STORE)
    return html(login_page(login.settings.mode, following))


async def _log_in(request: Request) -> Response:
    login = _login_of(request)
    if login is None or login.settings.mode != USERS:
        return RedirectResponse("/login", 303, NO_STORE)
    if (refusal := foreign(request)) is not None:
        return refusal
    try:
        form = await read_form(request)
    except BadBodyError as error:
        return error.answer
    following = local_path(form.get("next", "/"))
    name, password = form.get("name", ""), form.get("password", "")
    address = login.proxies.address(request)
    try:
        secret = None
        if len(name) <= LONGEST and len(password) <= LONGEST:
            secret = await run_in_threadpool(login.with_password, request, name, password)
    except TooManyTriesError as error:
        answer = html(login_page(USERS, following, f"Too many failed logins: {error}."), 429)
        answer.headers["Retry-After"] = str(-(-error.wait_ms // 1000))
        return answer
    if secret is None:
        log.warning("login failed from %s", address)
        await run_in_threadpool(_note_failure, request, name, address, USERS)
        return html(login_page(USERS, following, WRONG), 401)
    return logged_in(request, login, secret, following)


def _note_failure(request: Request, name: str, address: str, how: str) -> None:
    desk: ChangeDesk | None = request.app.state.service.desk
    if desk is not None:
        desk.audit.login_failed(name, address, how)


def logged_in(request: Request, login: MonitorLogin, secret: str, following: str) -> Response:
    """Go on, with the cookie of the session."""
    answer = RedirectResponse(following, 303, NO_STORE)
    name, secure = login.cookie(request)
    answer.set_cookie(name, secret, path="/", secure=secure, httponly=True, samesite="strict")
    return answer


def _begin(request: Request) -> Response:
    """To the provider, which sends the browser back."""
    login, following = _login_of(request), local_path(request.query_params.get("next", "/"))
    if login is None or login.provider is None:
        return RedirectResponse("/login", 303, NO_STORE)
    try:
        url, browser = login.provider.begin(following)
    except OidcError as error:
        log.warning("the provider of logins: %s", error)
        return html(login_page(OIDC, following, f"Nobody can log in now: {error}."), 503)
    answer = RedirectResponse(url, 303, NO_STORE)
    name, secure = login.cookie(request)
    answer.set_cookie(  # Lax: it has to come back with the browser from another site
        f"{name}_begun", browser, max_age=600, path="/", secure=secure, httponly=True,
        samesite="lax",
    )  # fmt: skip
    return answer


def _come_back(request: Request) -> Response:
    login = _login_of(request)
    if login is None or login.provider is None:
        return RedirectResponse("/login", 303, NO_STORE)
    name, secure = login.cookie(request)
    try:
        found = login.provider.finish(
            dict(request.query_params), request.cookies.get(f"{name}_begun", "")
        )
    except OidcError as error:
        address = login.proxies.address(request)
        log.warning("login failed from %s: %s", address, error)
        _note_failure(request, "", address, OIDC)
        return html(login_page(OIDC, "/", f"Nobody is logged in: {error}."), 401)
    secret = login.with_identity(found.name, found.groups)
    # a redirect would still count as a step from the provider's site: no SameSite=Strict cookie
    answer = html(arrived_page(found.following))
    answer.set_cookie(name, secret, path="/", secure=secure, httponly=True, samesite="strict")
    answer.delete_cookie(f"{name}_begun", path="/", secure=secure, httponly=True, samesite="lax")
    return answer


async def _log_out(request: Request) -> Response:
    try:
        form = await read_form(request)
    except BadBodyError as error:
        return error.answer
    if (refusal := forged(request, form.get("form", ""))) is not None:
        return refusal
    answer = RedirectResponse("/login", 303, NO_STORE)
    if (login := _login_of(request)) is not None:
        login.log_out(person_of(request))
        name, secure = login.cookie(request)
        answer.delete_cookie(name, path="/", secure=secure, httponly=True, samesite="strict")
    return answer
