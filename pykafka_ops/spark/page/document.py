"""The page around the reports."""

from __future__ import annotations

import re
import time
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files

from pykafka_ops import __version__
from pykafka_ops.page.charts.frame import definitions as patterns
from pykafka_ops.page.charts.spark import sparkline
from pykafka_ops.page.look import shared_style
from pykafka_ops.page.markup import Markup, el, join
from pykafka_ops.page.units import iso, moment
from pykafka_ops.spark.model import Problem, Report, Row, Section
from pykafka_ops.spark.page import (
    audit,
    compare,
    cost,
    forecast,
    formats,
    lag,
    retention,
    skew,
    slo,
)
from pykafka_ops.spark.page.parts import READ, Picture, Tile, View, reading
from pykafka_ops.spark.page.tables import definitions, delta, nested, table
from pykafka_ops.spark.page.verdict import agreed, sentence, verdict, worst

History = Mapping[str, Sequence[Row]]
"""Rows of earlier runs by section, oldest first (``ReportOptions.history``)."""

_VIEWS: Mapping[str, tuple[Callable[[Report], View], Callable[[Report], list[Tile]]]] = {
    "lag": (lag.view, lag.tiles),
    "skew": (skew.view, skew.tiles),
    "retention": (retention.view, retention.tiles),
    "cost": (cost.view, cost.tiles),
    "slo": (slo.view, slo.tiles),
    "compare": (compare.view, compare.tiles),
    "audit": (audit.view, audit.tiles),
    "forecast": (forecast.view, forecast.tiles),
    "formats": (formats.view, formats.tiles),
}
DRAWN = ("over_time", "windows", "ages", "leaving", "growth", "days")
"""Sections that are pictures first of all: their tables come last."""
PROBLEMS = 50
"""Problems that are listed one by one."""
RUNS = 30
"""Earlier runs that a trend looks back on."""


@dataclass(frozen=True, slots=True)
class ReportVerdict:
    """``tone`` is ok, warn or bad; ``text`` says in a sentence or two what is wrong."""

    tone: str
    text: str


def verdicts(reports: Sequence[Report]) -> tuple[ReportVerdict, list[ReportVerdict]]:
    """As the page has them: one over all reports, and one of each."""
    views, tones = _views(reports)
    each = [ReportVerdict(tone, v.headline) for tone, v in zip(tones, views, strict=True)]
    return ReportVerdict(worst(tones), sentence(views, tones)), each


def render(
    reports: Sequence[Report],
    *,
    history: Mapping[str, History] | None = None,
    generated: int | None = None,
) -> str:
    """One HTML document of these reports, in their order.

    ``history``: by kind of report, for trends. ``generated``: when the page is made (ms since
    1970; None: now). Raises KeyError for a kind of report it does not know.
    """
    made = generated if generated is not None else int(time.time() * 1000)
    views, tones = _views(reports)
    title = " · ".join(v.title for v in views) or "Report"
    alone = len(reports) == 1
    bodies = [
        _report(r, v, (history or {}).get(r.kind, {}), alone=alone)
        for r, v in zip(reports, views, strict=True)
    ]
    script = Markup(_file("script.js"))
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=_policy(script)),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("meta", name="generator", content=f"pykafka-ops {__version__}"),
        el("title", f"{title} – pko"),
        el("link", rel="icon", href="data:,"),
        el("style", Markup(shared_style() + _file("style.css"))),
    )
    main = el("main", verdict(reports, views, tones), *bodies)
    foot = el("footer", "Made by pko ", __version__, " at ", _time(made), " UTC. Times are UTC.")
    body = el("body", patterns(), _contents(reports, views), main, foot,
              el("script", script))  # fmt: skip
    return "<!DOCTYPE html>\n" + el("html", head, body, lang="en")


def _views(reports: Sequence[Report]) -> tuple[list[View], list[str]]:
    """What each report becomes, and its tone."""
    views = [_VIEWS[r.kind][0](agreed(r, reports)) for r in reports]
    return views, [_tone(r, v) for r, v in zip(reports, views, strict=True)]


def _policy(script: str) -> str:
    """Nothing is fetched, and no script runs but ours, whatever a name may say."""
    digest = b64encode(sha256(script.encode()).digest()).decode()
    ours = f"style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{digest}'"
    return f"default-src 'none'; {ours}"


def _file(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


def _contents(reports: Sequence[Report], views: Sequence[View]) -> Markup | None:
    if len(reports) < 2:
        return None
    links = [el("li", el("a", v.title, href=f"#{r.kind}", class_=f"to-{_tone(r, v)}"))
             for r, v in zip(reports, views, strict=True)]  # fmt: skip
    return el("nav", el("ul", *links), aria_label="Reports")


def _report(report: Report, view: View, history: History, *, alone: bool) -> Markup:
    """A report; ``alone`` on a page its headline is the verdict above."""
    said = view.headline.replace(" %", "\u00a0%")
    head = el(
        "header",
        el("p", view.title, class_="kind"),
        None if alone else el("h2", said, class_=f"headline {_tone(report, view)}"),
        _about(report),
    )
    ordered = sorted(report.sections, key=lambda s: (s.name != view.main, s.name in DRAWN))
    shown = [s for s in ordered if s.rows or s.unknown]
    return el(
        "article",
        head,
        _tiles(report, view, history),
        _problems(report.problems),
        el("div", *(_picture(p) for p in view.pictures), class_="pictures"),
        el("h2", "Figures", class_="part") if shown else None,
        *(
            table(s, view.marks, main=s.name == view.main, hottest=view.hottest.get(s.name, ""))
            for s in shown
        ),
        _empty([s for s in ordered if s not in shown]),
        definitions(shown) if shown else None,
        id=report.kind,
        data_kind=report.kind,
    )


def _empty(sections: Sequence[Section]) -> Markup | None:
    """Sections without rows need no card; that they were looked at is worth a line."""
    names = [s.title for s in sections]
    return el("p", f"Nothing to list: {', '.join(names)}.", class_="empty") if names else None


def _tone(report: Report, view: View) -> str:
    """That of the view; where something could not be read, nothing is well for certain."""
    return "warn" if report.problems and view.tone == "ok" else view.tone


def _about(report: Report) -> Markup:
    known = {k: v for k, v in report.source.items() if k != READ and v not in (None, "", (), [])}
    facts = [f"{re.sub('[_-]', ' ', name)}: {_fact(name, value)}" for name, value in known.items()]
    facts += [f"read {what}" for what in reading(report)]
    when = join("As of ", _time(report.now), " UTC")
    return el("p", when, *(join(" · ", el("bdi", fact)) for fact in facts), class_="about")


def _fact(name: str, value: object) -> str:
    """A part of the segments is told as it was asked for."""
    if name == "sample" and isinstance(value, float):
        return f"{100 * value:g} %"
    return nested(value)


def _time(ms: int) -> Markup:
    return el("time", moment(ms), datetime=iso(ms))


def _tiles(report: Report, view: View, history: History) -> Markup:
    before = [_VIEWS[report.kind][1](r) for r in earlier(report, history)]
    made = []
    for i, tile in enumerate(view.tiles):
        known = before if history.get(tile.of) else []
        past = [v for v in (run[i].value for run in known) if v is not None]
        made.append(_tile(tile, past))
    return el("div", *made, class_="tiles")


def _tile(tile: Tile, past: Sequence[float]) -> Markup:
    trend = None
    if past and tile.value is not None:
        change = delta(tile.value - past[-1], tile.unit, tile.good)
        trend = el(
            "p", change, " since the last run", sparkline([*past, tile.value]), class_="trend"
        )
    return el(
        "div",
        el("p", tile.name, class_="tile-name"),
        el("p", tile.text, class_="tile-value", data_v=tile.value),
        el("p", el("bdi", tile.note), class_="tile-note") if tile.note else None,
        trend,
        class_=f"tile {tile.tone}".strip(),
    )


def earlier(report: Report, history: History) -> list[Report]:
    """The runs of ``history`` before this one, oldest first, as reports of their rows."""
    runs: dict[int, dict[str, list[Row]]] = {}
    for name, rows in history.items():
        for row in rows:
            now = row.get("now")
            if isinstance(now, int) and now < report.now:
                runs.setdefault(now, {}).setdefault(name, []).append(row)
    return [
        Report(report.kind, now, {}, {}, [Section(n, n, (), rows) for n, rows in runs[now].items()])
        for now in sorted(runs)[-RUNS:]
    ]


def _problems(problems: Sequence[Problem]) -> Markup | None:
    if not problems:
        return None
    listed = [el("li", el("code", p.where), " ", p.what) for p in problems[:PROBLEMS]]
    if len(problems) > PROBLEMS:
        listed.append(el("li", f"and {len(problems) - PROBLEMS:,} more"))
    said = f"{len(problems):,} things could not be read: the figures leave them out"
    if len(problems) == 1:
        said = "1 thing could not be read: the figures leave it out"
    return el("details", el("summary", said), el("ul", *listed), class_="card problems",
              open=len(problems) <= 5)  # fmt: skip


def _picture(picture: Picture) -> Markup:
    caption = el("figcaption", el("h3", el("bdi", picture.title)), el("p", picture.note))
    more = el("p", picture.more, class_="more") if picture.more else None
    return el("figure", caption, picture.body, more, class_="card picture")
