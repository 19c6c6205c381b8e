"""The lag report: who is behind, since when, and what that costs."""

from __future__ import annotations

from collections.abc import Sequence

from pykafka_ops.analysis.commits.burrow import OK, REWIND, STALL, STOP, UNKNOWN, WARN
from pykafka_ops.analysis.lag.rows import AHEAD, LOST, STATUSES
from pykafka_ops.page.charts.bars import Bar, bars
from pykafka_ops.page.charts.frame import legend
from pykafka_ops.page.charts.heatmap import Cell, heatmap
from pykafka_ops.page.charts.lines import Series, lines
from pykafka_ops.page.markup import el, join
from pykafka_ops.page.ticks import linear
from pykafka_ops.page.units import NONE, count, moment, number, span
from pykafka_ops.spark.model import Report, Row
from pykafka_ops.spark.page.parts import (
    SHOWN,
    Picture,
    Tile,
    View,
    amount,
    blank,
    brief,
    least,
    listed,
    more,
    most,
    num,
    plural,
    rows,
    text,
    unknown,
    whole,
)

TONES = {
    OK: "ok",
    WARN: "warn",
    REWIND: "rewind",
    STALL: "stall",
    STOP: "stop",
    LOST: "lost",
    AHEAD: "lost",
    UNKNOWN: "unknown",
}
SAID = {
    OK: "keeps up",
    WARN: "falls further behind",
    REWIND: "went back",
    STALL: "is stalled",
    STOP: "stopped committing",
    LOST: "lost records",
    AHEAD: "is beyond the end of the log",
    UNKNOWN: "too few commits to judge",
}
History = tuple[str, list[Row]]
"""A group, and its buckets of ``over_time``."""
LINES = 6
SOON = 24 * 3600
"""Seconds: records that are deleted unread within this time are worth a headline."""


def view(report: Report) -> View:
    """The page of a lag report."""
    groups = sorted(rows(report, "groups"), key=lambda r: (-_urgency(r), -amount(r, "lag")))
    histories = _histories(report)
    pictures = [_top(groups), _worst(report, groups), _over_time(histories), _heat(histories)]
    return View(
        "Consumer lag",
        headline(report),
        _tone(report),
        tiles(report),
        [p for p in pictures if p is not None],
        "groups",
        TONES,
        _brief(report),
        1,
    )


def _brief(report: Report) -> str:
    groups, bad, dark = rows(report, "groups"), troubled(report), _unknown(report)
    if bad:
        verb = "needs" if len(bad) == 1 else "need"
        return f"{len(bad)} of {plural(len(groups), 'group')} {verb} attention"
    if groups and not dark:
        return f"{plural(len(groups), 'group keeps', 'groups keep')} up"
    return ""


def _urgency(row: Row) -> int:
    status = text(row, "status")
    return STATUSES.index(status) if status in STATUSES else 1


def troubled(report: Report) -> list[Row]:
    """Groups with a verdict that asks for help, the worst first."""
    found = [r for r in rows(report, "groups") if text(r, "status") not in (OK, UNKNOWN)]
    return sorted(found, key=lambda r: (-_urgency(r), -amount(r, "lag")))


def _unknown(report: Report) -> list[Row]:
    """Groups of which some lag, or the verdict, is not known."""
    return [
        r for r in rows(report, "groups")
        if text(r, "status") == UNKNOWN or amount(r, "unknown_partitions") > 0
    ]  # fmt: skip


def loss(report: Report) -> Row | None:
    """The partition whose unread records are deleted first."""
    at_risk = [r for r in rows(report, "partitions") if amount(r, "lag") > 0]
    return least(at_risk, "loss_in_seconds")


def headline(report: Report) -> str:
    """In a sentence or two: what is wrong, and where."""
    groups, bad, dark = rows(report, "groups"), troubled(report), _unknown(report)
    if not groups:
        why = unknown(report, "groups")
        return f"Not known: {why}." if why else "No consumer group has committed anything."
    if not bad and dark:
        up = len(groups) - len(dark)
        who = "group is" if len(dark) == 1 else "groups are"
        first = (
            f"{len(dark)} {who} not known to keep up: {listed([text(r, 'group') for r in dark])}"
        )
        first += f"; {plural(up, 'group does', 'groups do')}." if up else "."
    elif not bad:
        largest = most(groups, "lag")
        said = f"{plural(len(groups), 'group keeps', 'groups keep')} up"
        if largest is not None and amount(largest, "lag") > 0:
            said += f"; {brief(largest, 'group')} is {behind(largest)}"
        first = f"{said}."
    else:
        kinds: dict[str, list[str]] = {}
        for row in bad:
            kinds.setdefault(text(row, "status"), []).append(text(row, "group"))
        parts = [f"{listed(names)} {_say(status, len(names))}" for status, names in kinds.items()]
        verb = "needs" if len(bad) == 1 else "need"
        first = (
            f"{len(bad)} of {plural(len(groups), 'group')} {verb} attention: {'; '.join(parts)}."
        )
    gone = loss(report)
    if gone is not None and amount(gone, "loss_in_seconds") <= SOON:
        when = amount(gone, "loss_in_seconds")
        soon = "now" if when <= 0 else f"as soon as in {span(when)}"
        first += f" {brief(gone, 'group')} may lose unread data of {brief(gone, 'topic')} {soon}."
    return first


def _say(status: str, names: int) -> str:
    said = SAID.get(status, status.lower())
    if names == 1:
        return said
    return {"is stalled": "are stalled", "falls further behind": "fall further behind"}.get(
        said, said
    )


def behind(row: Row) -> str:
    """``9 records, 2 s, behind``."""
    seconds = num(row, "lag_seconds")
    time = f", {span(seconds)}," if seconds else ""
    return f"{plural(int(amount(row, 'lag')), 'record')}{time} behind"


def _tone(report: Report) -> str:
    bad = {text(r, "status") for r in troubled(report)}
    gone = loss(report)
    if bad & {STOP, STALL, LOST, AHEAD} or (gone and amount(gone, "loss_in_seconds") <= SOON):
        return "bad"
    dark = unknown(report, "groups") or _unknown(report)
    return "warn" if bad or dark else "ok"


def tiles(report: Report) -> list[Tile]:
    """The figures on top."""
    groups, bad, dark = rows(report, "groups"), troubled(report), _unknown(report)
    lags = [v for r in groups if (v := num(r, "lag")) is not None]
    lag = sum(lags) if lags or (not groups and not unknown(report, "groups")) else None
    least_lag = "at least " if any(amount(r, "unknown_partitions") for r in groups) else ""
    slow, gone = most(groups, "lag_seconds"), loss(report)
    late = num(slow, "lag_seconds") if slow else None
    left = num(gone, "loss_in_seconds") if gone else None
    silent, unread = rows(report, "silent_groups"), rows(report, "unread_topics")
    made = [
        Tile("Groups in trouble", len(bad), f"{len(bad):,} of {len(groups):,}",
             listed([text(r, "group") for r in bad], 2), "bad" if bad else "ok", of="groups"),
        Tile("Groups not known", len(dark), f"{len(dark):,} of {len(groups):,}",
             listed([text(r, "group") for r in dark], 2), "warn" if dark else "ok", of="groups"),
        Tile("Total lag", lag, NONE if lag is None else count(lag),
             "" if lag is None else f"{least_lag}{number(lag)} records", of="groups"),
        Tile("Longest delay", late, NONE if late is None else span(late),
             brief(slow, "group") if slow and late else "", unit="seconds", of="groups"),
        _safe(report, gone, left),
        Tile("Silent groups", len(silent), f"{len(silent):,}",
             listed([text(r, "group") for r in silent], 2), "warn" if silent else "ok",
             of="silent_groups"),
        Tile("Topics nobody reads", len(unread), f"{len(unread):,}",
             listed([text(r, "topic") for r in unread], 2), "warn" if unread else "ok",
             of="unread_topics"),
    ]  # fmt: skip
    return [blank(tile) if unknown(report, tile.of) else tile for tile in made]


def _safe(report: Report, gone: Row | None, left: float | None) -> Tile:
    """How long retention leaves all that is unread; not known where that is so of a partition."""
    dark = int(amount(report.summary, "unknown_losses"))
    said = f"{brief(gone, 'group')} on {brief(gone, 'topic')}" if gone else ""
    if dark:
        said = "; ".join(filter(None, [said, f"not known of {plural(dark, 'partition')}"]))
    safe = "always" if not dark else NONE
    tone = "bad" if left is not None and left <= SOON else "warn" if dark else "ok"
    return Tile("Unread data safe for", left, safe if left is None else span(left), said, tone, 1,
                "seconds", of="partitions")  # fmt: skip


def _meanings(items: Sequence[Row]) -> list[tuple[str, str]]:
    found = {text(r, "status") for r in items}
    return [(TONES[s], f"{s}: {SAID[s]}") for s in reversed(STATUSES) if s in found]


def _late(found: Sequence[Row]) -> list[Row]:
    """Those that have a lag, or one that nobody knows; the largest first."""
    late = [r for r in found if num(r, "lag") is None or amount(r, "lag") > 0]
    return sorted(late, key=lambda r: -amount(r, "lag"))


def _without(total: int, late: int, what: str) -> str:
    return f"{plural(total - late, what)} without lag" if total > late else ""


def _top(groups: Sequence[Row]) -> Picture | None:
    late = _late(groups)
    shown = late[:SHOWN]
    if not shown:
        return None
    made = [_bar(text(r, "group"), r) for r in shown]
    return Picture(
        "Groups by lag",
        "Records that are committed to the log and not yet read, with the verdict on each group.",
        join(legend(_meanings(shown)), bars("Groups by lag", made)),
        "; ".join(filter(None, [more(len(late), len(shown), "groups"),
                                _without(len(groups), len(late), "group")])),
    )  # fmt: skip


def _bar(name: str, row: Row) -> Bar:
    lag, seconds, status = num(row, "lag"), num(row, "lag_seconds"), text(row, "status")
    late = f" · {span(seconds)}" if seconds else ""
    said = "not known" if lag is None else f"{count(lag)}{late}"
    tip = f"{name}: {behind(row)}, {status}"
    return Bar(name, lag, said, TONES.get(status, "unknown"), tip=tip)


def _worst(report: Report, groups: Sequence[Row]) -> Picture | None:
    bad = [r for r in groups if text(r, "status") not in (OK, UNKNOWN)] or groups
    worst = max(bad, key=lambda r: amount(r, "lag"), default=None)
    name = text(worst, "group") if worst else ""
    own = [r for r in rows(report, "partitions") if worst and text(r, "group") == name]
    late = _late(own)
    shown = late[:SHOWN]
    if not shown:
        return None
    made = [_bar(f"{text(r, 'topic')}-{text(r, 'partition')}", r) for r in shown]
    title = f"Inside {name}" if name else "Inside the worst group"
    since = _since(worst) if worst else ""
    return Picture(
        title,
        f"The group in trouble with the largest lag, partition by partition.{since}",
        join(legend(_meanings(shown)), bars(title, made)),
        "; ".join(filter(None, [more(len(late), len(shown), "partitions"),
                                _without(len(own), len(late), "partition")])),
    )  # fmt: skip


def _since(row: Row) -> str:
    since = num(row, "since")
    return "" if since is None else f" {brief(row, 'status')} since {moment(since)} UTC."


def _histories(report: Report) -> list[History]:
    """The buckets of each group in order of time, groups with the largest lag first."""
    found: dict[str, list[Row]] = {}
    for row in rows(report, "over_time"):
        if num(row, "start") is not None and num(row, "end") is not None:
            found.setdefault(text(row, "group"), []).append(row)
    for history in found.values():
        history.sort(key=lambda r: amount(r, "start"))
    return sorted(found.items(), key=lambda h: -max(amount(r, "lag") for r in h[1]))


def _known(history: Sequence[Row]) -> list[tuple[int, float]]:
    """When it was how far behind, where that is known."""
    return [(int(amount(r, "end")), v) for r in history if (v := num(r, "lag")) is not None]


def _moved(found: Sequence[History]) -> list[History]:
    """Those that make a line: seen more than once, and behind at some time."""
    return [h for h in found if len(k := _known(h[1])) > 1 and any(v > 0 for _, v in k)]


def _once(found: Sequence[History]) -> str:
    """Those that were seen once, in words: a point is no line."""
    seen = [(name, k[0]) for name, history in found if len(k := _known(history)) == 1]
    said = [f"{name}: {number(v)} at {moment(t, '%d %b %H:%M')}" for name, (t, v) in seen[:LINES]]
    return "; ".join(filter(None, [*said, more(len(seen), len(said), "seen once")]))


def _over_time(found: Sequence[History]) -> Picture | None:
    moved, once = _moved(found), _once(found)
    series = [
        Series(name, [(int(amount(r, "end")), num(r, "lag")) for r in history], str(i))
        for i, (name, history) in enumerate(moved[:LINES])
    ]
    if not series and not once:
        return None
    top = max((v for s in series for _, v in s.points if v is not None), default=0.0)
    drawn = lines("Lag over time", f"Lag of {listed([s.label for s in series], LINES)}", series,
                  linear(top), count) if series else el("p", once, class_="figures")  # fmt: skip
    left_out = [more(len(moved), len(series), "groups"), once if series else ""]
    return Picture(
        "Lag over time",
        "Records behind at the end of each window, from the history of commits.",
        drawn,
        "; ".join(filter(None, left_out)),
    )


def _heat(every: Sequence[History]) -> Picture | None:
    found = _moved(every)
    if not found:
        return None
    shown = [(name, [_cell(name, r) for r in history]) for name, history in found[:SHOWN]]
    bad = {c.tone for _, cells in shown for c in cells} - {""}
    meanings = [(TONES[s], f"{s}: {SAID[s]}") for s in reversed(STATUSES) if TONES[s] in bad]
    key = legend([*meanings, ("none", "no pattern: no trouble")]) if meanings else None
    picture = heatmap("Groups over time", f"Lag of {len(shown)} groups by window", shown, count,
                      magnitudes=True)  # fmt: skip
    return Picture(
        "Groups over time",
        "The stronger the colour, the further behind; the pattern is the verdict at its end.",
        join(key, picture),
        more(len(found), len(shown), "groups"),
    )


def _cell(name: str, row: Row) -> Cell:
    status = text(row, "status") if row.get("status") is not None else ""
    lag = num(row, "lag")
    start, end = whole(row, "start") or 0, whole(row, "end") or 0
    said = "lag not known" if lag is None else f"{number(lag)} records behind"
    tip = f"{name}, {moment(start, '%d %b %H:%M')} to {moment(end, '%d %b %H:%M')}: {said}"
    tone = TONES.get(status, "")
    return Cell(start, end, lag, f"{tip} {status}".strip(), "" if status in (OK, "") else tone)
