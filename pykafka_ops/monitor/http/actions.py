"""Changes, by ``/api/v1`` and by pages: asked for twice, first to be shown, then to be done."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from pykafka_ops.monitor.access.login import TOKEN
from pykafka_ops.monitor.actions.desk import (
    ActionOutcome,
    ActionRefusedError,
    Asker,
    ChangeDesk,
    Preview,
)
from pykafka_ops.monitor.actions.every import EVERY
from pykafka_ops.monitor.actions.plan import Action, ActionPlan
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.http.answers import json_answer, no_cluster, refused
from pykafka_ops.monitor.http.app import service_of
from pykafka_ops.monitor.http.forms import (
    BadBodyError,
    foreign,
    forged,
    read_form,
    read_json,
)
from pykafka_ops.monitor.http.gate import may_some, person_of
from pykafka_ops.monitor.http.paging import asked_of, html, page
from pykafka_ops.monitor.pages import actions as pages
from pykafka_ops.monitor.pages.frame import PageRequest

OWN = ("token", "confirm", "form")
"""Fields of a body that are no parameter of an action."""


def routes() -> list[BaseRoute]:
    """The routes of this door."""
    api, where = "/api/v1/clusters/{cluster}/actions", "/c/{cluster}/actions"
    return [
        Route(api, _listed, methods=["GET"]),
        Route(f"{api}/{{action}}", _asked, methods=["POST"]),
        Route(where, page(_index), methods=["GET"]),
        Route(f"{where}/{{action}}", page(_form), methods=["GET"]),
        Route(f"{where}/{{action}}", _sent, methods=["POST"]),
    ]


def _asker(request: Request) -> Asker:
    access = request.app.state.service.access
    return Asker(person_of(request), access.address(request))


def _actions(request: Request, cluster: str) -> list[Action]:
    return [a for a in EVERY.values() if may_some(request, a.right, cluster)]


# --- /api/v1 -------------------------------------------------------------------------------------


def _listed(request: Request) -> Response:
    service, cluster = service_of(request), request.path_params["cluster"]
    if service.view(cluster) is None:
        return no_cluster(cluster, service.clusters)
    rows = [
        {"action": a.right, "title": a.title, "typed": a.typed,
         "fields": [f._asdict() for f in a.fields]}
        for a in _actions(request, cluster)
    ]  # fmt: skip
    return json_answer({"cluster": cluster, "actions": rows})


async def _asked(request: Request) -> Response:
    if (refusal := foreign(request)) is not None:
        return refusal
    if person_of(request).how != TOKEN and request.headers.get("x-pko") != "1":
        return refused(403, "NO_HEADER", "send the header X-Pko: 1 with every change")
    service, cluster = service_of(request), request.path_params["cluster"]
    if service.view(cluster) is None:
        return no_cluster(cluster, service.clusters)
    if service.desk is None:
        return refused(503, "NO_ACTIONS", "this monitor changes nothing")
    try:
        body = _texts(await read_json(request))
        return await run_in_threadpool(_answered, request, service.desk, body)
    except BadBodyError as error:
        return error.answer
    except ActionRefusedError as error:
        shown = _preview_body(error.preview) if error.preview else {}
        said = {"code": error.code, "message": str(error), "hint": None}
        return json_answer({"error": said, **shown}, error.status)


def _answered(request: Request, desk: ChangeDesk, body: Mapping[str, str]) -> Response:
    cluster, action = (request.path_params[key] for key in ("cluster", "action"))
    asker = _asker(request)
    if request.query_params.get("dry_run") == "true":
        params = {key: value for key, value in body.items() if key not in OWN}
        return json_answer(_preview_body(desk.preview(asker, cluster, action, params)))
    if not body.get("token"):
        message = "ask with dry_run=true first, then send the token that comes with the plan"
        return refused(400, "NO_TOKEN", message)
    done = desk.carry_out(asker, cluster, action, body["token"], body.get("confirm", ""))
    failed = {"errors": dict(done.errors)} if done.errors else {}
    return json_answer({"result": done.result, **_plan_body(done.plan), **failed})


def _texts(body: Mapping[str, Any]) -> dict[str, str]:
    """Parameters as texts; numbers and lists are written as a form would have them."""
    found = {}
    for key, value in body.items():
        if isinstance(value, list) and all(isinstance(v, str | int) for v in value):
            found[key] = ",".join(map(str, value))
        elif isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
            found[key] = str(value)
        elif value is not None:
            raise BadBodyError(400, "INVALID_REQUEST", f"{key[:40]}: a text is expected")
    return found


def _preview_body(preview: Preview) -> dict[str, Any]:
    token = {"token": preview.token, "expires": preview.until} if preview.token else {}
    return {**_plan_body(preview.plan), **token}


def _plan_body(plan: ActionPlan) -> dict[str, Any]:
    return {
        "name": plan.name,
        "plan": [change._asdict() for change in plan.changes],
        "notes": list(plan.notes),
        "command": shlex.join(plan.command) or None,
        "undo": shlex.join(plan.undo) or None,
        "undone_by": plan.undone_by or None,
    }


# --- pages ---------------------------------------------------------------------------------------


def _index(request: Request, asked: PageRequest, view: ClusterView) -> str:
    return pages.index(asked, view, _actions(request, view.name))


def _form(request: Request, asked: PageRequest, view: ClusterView) -> str | Response:
    action = EVERY.get(request.path_params["action"])
    if action is None or not may_some(request, action.right, view.name):
        return html(pages.index(asked, view, _actions(request, view.name), unknown=True), 404)
    return pages.form(asked, view, action, asked.query)


async def _sent(request: Request) -> Response:
    service, name = service_of(request), request.path_params["cluster"]
    view, desk = service.view(name), service.desk
    if view is None or desk is None:
        return no_cluster(name, service.clusters)
    asked = asked_of(request, service, name)
    try:
        body = await read_form(request)
    except BadBodyError as error:
        return error.answer
    if (refusal := forged(request, body.get("form", ""))) is not None:
        return refusal
    action = EVERY.get(request.path_params["action"])
    if action is None:
        return html(pages.index(asked, view, _actions(request, view.name), unknown=True), 404)
    return await run_in_threadpool(_shown, request, desk, action, body, (asked, view))


def _shown(
    request: Request, desk: ChangeDesk, action: Action, body: Mapping[str, str],
    about: tuple[PageRequest, ClusterView],
) -> Response:  # fmt: skip
    """The plan, what was done, or the form once more with what is wrong."""
    asked, view = about
    params = {k: v for k, v in body.items() if k not in OWN and v.strip()}
    make: Callable[[], Preview | ActionOutcome]
    if body.get("token"):
        make = lambda: desk.carry_out(  # noqa: E731
            _asker(request), view.name, action.right, body["token"], body.get("confirm", "")
        )
    else:
        make = lambda: desk.preview(_asker(request), view.name, action.right, params)  # noqa: E731
    try:
        made = make()
    except ActionRefusedError as error:
        if error.preview is not None:
            return html(pages.preview(asked, view, action, error.preview, str(error)), error.status)
        return html(pages.form(asked, view, action, params, str(error)), error.status)
    if isinstance(made, Preview):
        return html(pages.preview(asked, view, action, made))
    return html(pages.result(asked, view, action, made))
