"""The pages of runs of ``pko spark`` reports.

A run shows whole clusters: only who may see every cluster of the monitor is shown any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from pykafka_ops.errors import PkoError
from pykafka_ops.monitor.http.app import service_of
from pykafka_ops.monitor.http.paging import asked_of, html
from pykafka_ops.monitor.pages import lists
from pykafka_ops.monitor.pages.reports import (
    ROWS_SHOWN,
    ReportRun,
    RunTrend,
    run_list,
    run_page,
)
from pykafka_ops.runs.layout import KINDS, TRENDS, RunName, run_name
from pykafka_ops.runs.read import KeptSection, runs, section, sections, total

TREND_RUNS: Final = 30
MOST_SECTIONS: Final = 40


def routes() -> list[BaseRoute]:
    """The routes of this door."""
    return [Route("/reports", _list), Route("/reports/{kind}/{run}", _run)]


def _directory(request: Request) -> Path | None:
    service = service_of(request)
    return service.reports if service.is_whole else None


def _refused(request: Request) -> Response:
    service = service_of(request)
    said = "Only who may see every cluster is shown reports."
    if service.is_whole:
        said = 'There are no reports: reports = "DIR" in the configuration names their history.'
    return html(lists.missing(asked_of(request, service, ""), None, said), 404)


def _list(request: Request) -> Response:
    root = _directory(request)
    if root is None:
        return _refused(request)
    found: Mapping[str, Sequence[RunName]] = {}
    problem = ""
    try:
        found = runs(root)
    except PkoError as error:
        problem = str(error)
    return html(run_list(asked_of(request, service_of(request), ""), found, problem))


def _run(request: Request) -> Response:
    root = _directory(request)
    if root is None:
        return _refused(request)
    asked = asked_of(request, service_of(request), "")
    kind, name = request.path_params["kind"], run_name(request.path_params["run"])
    if kind not in KINDS or name is None:
        return html(lists.missing(asked, None, "There is no such run."), 404)
    read: list[KeptSection] = []
    problems: list[str] = []
    try:
        names = sections(root, kind, name.name)
    except PkoError as error:
        names, problems = [], [str(error)]
    if not names and not problems:
        return html(lists.missing(asked, None, "There is no such run."), 404)
    for each in _ordered(kind, names)[:MOST_SECTIONS]:
        try:
            read.append(section(root, kind, name.name, each, ROWS_SHOWN))
        except PkoError as error:
            problems.append(str(error))
    return html(run_page(asked, ReportRun(kind, name, read, problems, _trend(root, kind, name))))


def _ordered(kind: str, names: Sequence[str]) -> list[str]:
    """The sections that a report is about first."""
    first = [name for name in TRENDS[kind] if name in names]
    return [*first, *(name for name in names if name not in first)]


def _trend(root: Path, kind: str, last: RunName) -> RunTrend | None:
    """The main figure over this run and those before it, oldest first; None where it is of no
    run."""
    name, (_, field) = next(iter(TRENDS[kind].items()))
    try:
        earlier = [r for r in runs(root).get(kind, ()) if r.source == last.source]
    except PkoError:
        return None
    wanted = [r for r in earlier if r.now <= last.now][:TREND_RUNS]
    points = [(run.now, _total(root, kind, run.name, (name, field))) for run in reversed(wanted)]
    unit = "bytes" if "bytes" in field else "records"
    return RunTrend(name, field, unit, points)


def _total(root: Path, kind: str, run: str, what: tuple[str, str]) -> float | None:
    try:
        return total(root, kind, run, *what)
    except PkoError:
        return None
