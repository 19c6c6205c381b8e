"""A group: how it stands, how it went, its partitions, its members, what it committed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from pykafka_ops.analysis.commits.burrow import Commit
from pykafka_ops.client.group_describe import SHARE, STREAMS
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.history.model import HistoryEvent
from pykafka_ops.monitor.pages import columns
from pykafka_ops.monitor.pages.events import timeline
from pykafka_ops.monitor.pages.frame import (
    Found,
    PageColumn,
    PageRequest,
    address,
    block,
    command,
    document,
    pager,
    table,
)
from pykafka_ops.monitor.pages.pictures import ChartPast, chart, periods, rate_text, seconds_text
from pykafka_ops.monitor.pages.tiles import FigureTile, tiles
from pykafka_ops.monitor.pages.ways import change_links
from pykafka_ops.monitor.wording import line
from pykafka_ops.monitor.wording.text import moment, rate, span, whole
from pykafka_ops.page.markup import Markup, el

FACTS = ("lag", "max_lag", "lag_seconds", "rate_in", "rate_out", "members")
"""What its charts are drawn from."""
_COMMITS = (
    PageColumn("at", "When", moment),
    PageColumn("offset", "Offset", whole, True),
    PageColumn("more", "Records since", whole, True),
    PageColumn("lag", "Lag then", whole, True),
)


_SEEN = (
    PageColumn("at", "When", moment),
    PageColumn("offset", "Start", whole, True),
    PageColumn("more", "Start moved by", whole, True),
    PageColumn("lag", "Lag then", whole, True),
)


class GroupShown(NamedTuple):
    """A group's body as ``/api/v1`` has it, the partitions to show, its past, the commits of the
    worst partition (its name first), what changed (None: no history is kept)."""

    body: Mapping[str, Any]
    found: Found
    past: ChartPast | None
    commits: tuple[str, Sequence[Commit]]
    events: Iterable[HistoryEvent] | None


def group(asked: PageRequest, view: ClusterView, shown: GroupShown) -> str:
    """The page of a group."""
    name = str(shown.body["group"])
    lag = command("pko", "groups", "lag", "--partitions", name)
    is_shared = shown.body["type"] == SHARE
    return document(
        asked, view, f"Group {name}",
        _tiles(shown.body),
        change_links(asked, "group", name),
        periods(asked.query),
        el("div", *_charts(shown.past), class_="pictures"),
        _partitions(asked, shown.found, lag, is_shared=is_shared),
        _topology(shown.body["topology"], name),
        _members(shown.body, name),
        _commits(*shown.commits, is_shared=is_shared),
        None if shown.events is None else
        block("What changed", "", timeline(shown.events, "nothing in the last seven days")),
    )  # fmt: skip


def _tiles(body: Mapping[str, Any]) -> Markup:
    status = str(body["status"])
    since = f"since {moment(body['since'])}" if body["since"] else str(body["state"])
    loss = "never" if body["loss"] else span(body["loss_in_seconds"])
    soon = body["loss_in_seconds"] is not None and body["loss_in_seconds"] < 86_400
    unknown = body["unknown_partitions"]
    note = f"without {unknown} partitions not known" if unknown else ""
    worst = f"worst partition {whole(body['max_lag'])}"
    return tiles(
        FigureTile("Verdict", status, since, columns.status_tone(status)),
        FigureTile("Lag", whole(body["lag"]), note or worst, line.WARN if unknown else ""),
        FigureTile("Behind", span(body["lag_seconds"]), "age of the next record to read"),
        FigureTile("Caught up in", span(body["catch_up_seconds"]), "at the rates of now"),
        FigureTile("Lost in", loss, "until retention takes unread records",
                   line.BAD if soon else ""),
        FigureTile("In and out", f"{rate(body['rate_in'])} / {rate(body['rate_out'])}",
                   "records a second"),
        FigureTile("Members", whole(body["members"]), f"{body['type']}, {body['state']}"),
    )  # fmt: skip


def _charts(past: ChartPast | None) -> list[Markup]:
    return [
        chart("Lag", "Records behind the end of the logs", past,
              [("lag", "all partitions"), ("max_lag", "worst partition")]),
        chart("Behind in time", "How old the next record to read is", past,
              [("lag_seconds", "behind")], seconds_text),
        chart("Records a second", "Written to what it reads, and read", past,
              [("rate_in", "written"), ("rate_out", "read")], rate_text),
        chart("Members", "Consumers in the group", past, [("members", "members")]),
    ]  # fmt: skip


def _partitions(asked: PageRequest, found: Found, proof: str, *, is_shared: bool) -> Markup:
    total, following, rows = found
    first, *others = columns.SHARED if is_shared else columns.PARTITIONS
    topic = first._replace(link=lambda row: address(asked.cluster, "topics", str(row["topic"])))
    empty = "nothing is committed or read"
    body = table((topic, *others), rows, empty, asked.query, "Partitions")
    pages = pager(asked.query, total, len(rows), following)
    return block(f"Partitions: {total:,}", proof, body, pages)


def _topology(parts: Sequence[Mapping[str, Any]] | None, name: str) -> Markup | None:
    """What a streams application reads and keeps."""
    if parts is None:
        return None
    proof = command("pko", "groups", "describe", "--topology", name)
    body = table(columns.TOPOLOGY, parts, "it reads nothing", label="Topology")
    return block("Topology", proof, body)


def _members(group: Mapping[str, Any], name: str) -> Markup:
    members: Sequence[Mapping[str, Any]] = group["member_list"]
    proof = command("pko", "groups", "describe", "--members", name)
    if group["members"] is None:
        body = el("p", "not known: its coordinator did not tell", class_="nothing")
        return block("Members", proof, body)
    shown = columns.STREAMING if group["type"] == STREAMS else columns.MEMBERS
    body = table(shown, members[:MOST_MEMBERS], "no members", label="Members")
    rest = len(members) - MOST_MEMBERS
    more = el("p", f"and {rest:,} more", class_="more") if rest > 0 else None
    return block(f"Members: {len(members):,}", proof, body, more)


MOST_MEMBERS = 100
"""Members that are named."""


def _commits(partition: str, commits: Sequence[Commit], *, is_shared: bool) -> Markup:
    rows: list[dict[str, Any]] = []
    for before, one in zip([None, *commits], commits, strict=False):
        more = None if before is None else one.offset - before.offset
        rows.insert(0, {"at": one.timestamp, "offset": one.offset, "more": more, "lag": one.lag})
    if is_shared:
        title = f"Where it was in {partition}" if partition else "Where it was"
        columns_, empty = _SEEN, "not seen yet"
    else:
        title = f"Last commits of {partition}" if partition else "Last commits"
        columns_, empty = _COMMITS, "none in the last ten minutes and since"
    return block(title, "", table(columns_, rows, empty, label=title))
