"""What browsers and programs send: bodies of bounded size, and proof that no page of another site
sent them."""

from __future__ import annotations

import json
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from starlette.requests import Request
from starlette.responses import Response

from pykafka_ops.monitor.access.access import MonitorAccess
from pykafka_ops.monitor.access.rights import ACTIONS
from pykafka_ops.monitor.http.answers import refused
from pykafka_ops.monitor.http.gate import person_of
from pykafka_ops.monitor.pages.frame import PageRequest

MOST_BODY: Final = 64 << 10
MOST_FIELDS: Final = 1_000
FORM: Final = "application/x-www-form-urlencoded"


class BadBodyError(Exception):
    """A body that is not read; ``answer`` says why."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.answer = refused(status, code, message)


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a form, of several of one name the last. BadBodyError."""
    data = await _body(request, FORM)
    try:
        fields = parse_qsl(
            data.decode("ascii"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=MOST_FIELDS,
        )
    except ValueError:
        raise BadBodyError(400, "INVALID_REQUEST", "the form cannot be read") from None
    return dict(fields)


async def read_json(request: Request) -> dict[str, Any]:
    """An object as JSON. BadBodyError."""
    data = await _body(request, "application/json")
    try:
        found = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        raise BadBodyError(400, "INVALID_REQUEST", "the body is no JSON") from None
    if not isinstance(found, dict):
        raise BadBodyError(400, "INVALID_REQUEST", "the body is no JSON object")
    return found


async def _body(request: Request, kind: str) -> bytes:
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given != kind:
        raise BadBodyError(415, "WRONG_CONTENT_TYPE", f"send Content-Type: {kind}")
    data = bytearray()
    async for chunk in request.stream():
        data += chunk
        if len(data) > MOST_BODY:
            message = f"the body has more than {MOST_BODY} bytes"
            raise BadBodyError(413, "BODY_TOO_LARGE", message)
    return bytes(data)


def foreign(request: Request) -> Response | None:
    """The refusal of a request that a page of another site sent; None where none did. Whoever is
    no browser names no origin."""
    site = request.headers.get("sec-fetch-site", "same-origin")
    origins = request.headers.getlist("origin")
    if site == "same-origin" and all(_is_ours(request, origin) for origin in origins):
        return None
    return refused(403, "FOREIGN_ORIGIN", "this was sent by a page of another site")


def forged(request: Request, token: str) -> Response | None:
    """As ``foreign``, and of a form whose token is not that of the person's pages."""
    if (refusal := foreign(request)) is not None:
        return refusal
    access: MonitorAccess = request.app.state.service.access
    if access.is_own_form(person_of(request), token):
        return None
    return refused(403, "OLD_FORM", "this form is of another login: load its page again")


def as_person(request: Request, asked: PageRequest) -> PageRequest:
    """A page's request with who asks, and with what the forms of this person carry."""
    access: MonitorAccess = request.app.state.service.access
    person, cluster = person_of(request), asked.cluster
    rights = [r for r in ACTIONS if cluster and access.may_some(person, r, cluster)]
    ways = ["actions"] if rights else []
    if cluster and access.actions and access.may(person, "audit", cluster, cluster):
        ways.append("audit")
    asked = asked._replace(ways=ways, rights=rights)
    if access.login is None:
        return asked._replace(form=access.form_token(person))
    return asked._replace(
        who=person.name, form=access.form_token(person), can_log_out=bool(person.session)
    )


def _is_ours(request: Request, origin: str) -> bool:
    access: MonitorAccess = request.app.state.service.access
    own = urlsplit(access.login.settings.url) if access.login else None
    try:
        given = urlsplit(origin)
    except ValueError:
        return False
    if own and own.netloc and (given.scheme, given.netloc) == (own.scheme, own.netloc):
        return True
    hosts = request.headers.getlist("host")
    return given.scheme in ("http", "https") and hosts == [given.netloc]
