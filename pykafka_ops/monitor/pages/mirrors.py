"""Mirror links: how far each is, and one of them with its topics and partitions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pykafka_ops.mirror.report.rows import BEHIND, IDLE, NEW, OK, PAUSED, UNKNOWN
from pykafka_ops.monitor.cluster.links import MM2, MirrorLink
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.history.model import HistoryEvent
from pykafka_ops.monitor.pages.events import timeline
from pykafka_ops.monitor.pages.frame import (
    ROWS,
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
from pykafka_ops.monitor.wording import line
from pykafka_ops.monitor.wording.text import many, moment, plain, rate, safe, size, span, whole
from pykafka_ops.page.markup import Markup, el

TITLE: Final = "Mirrors"
FACTS: Final = ("lag", "lag_seconds", "copied_per_second", "added_per_second")
"""What the charts of a link are drawn from."""
FILE: Final = "mirror.toml"
"""What stands in commands for the mirror's own file, which the monitor does not know."""
Row = Mapping[str, Any]


def state_tone(state: object) -> str:
    """That of the state of a link, a topic or a partition."""
    if state in (OK, BEHIND):
        return line.GOOD
    return line.WARN if state in (PAUSED, UNKNOWN, NEW) else line.BAD


def link_row(cluster: str, link: MirrorLink) -> dict[str, Any]:
    """A link in one row; ``cluster`` is what the monitor calls its target."""
    names = ("source_cluster", "kind", "state", "since", "partitions", "lag", "lag_bytes",
             "lag_seconds", "copied_per_second", "added_per_second", "eta_seconds",
             "stalled_seconds", "heartbeat_seconds", "processes", "worst")  # fmt: skip
    return {
        "link": link.name,
        "cluster": cluster,
        **{name: getattr(link, name) for name in names},
        "counts": dict(link.counts),
        "members": list(link.members),
        "pauses": list(link.pauses),
        "troubles": list(link.troubles),
        "command": proof(link),
    }


def proof(link: MirrorLink) -> str:
    """The command for a link as it is."""
    if link.kind == MM2:
        words = ("mm2.properties", "--dry-run", "--link", link.name)
        return command("pko", "mirror", "takeover", *words)
    if link.state == IDLE:
        return command("pko", "mirror", "run", FILE)
    if link.state == PAUSED:
        return command("pko", "mirror", "resume", FILE, "--link", link.name)
    return command("pko", "mirror", "status", FILE, "--partitions", "--link", link.name)


def _href(row: Row) -> str:
    return address(str(row["cluster"]), "mirrors", str(row["link"]))


_FIGURES: Final = (
    PageColumn("state", "State", tone=state_tone, status=True),
    PageColumn("lag", "Lag", whole, True),
    PageColumn("lag_bytes", "Bytes", size, True),
    PageColumn("lag_seconds", "Behind", span, True),
    PageColumn("copied_per_second", "Out/s", rate, True),
    PageColumn("added_per_second", "In/s", rate, True),
    PageColumn("eta_seconds", "Caught up in", span, True),
)
LINKS: Final = (
    PageColumn("link", "Link", link=_href),
    *_FIGURES,
    PageColumn("worst", "Worst partition"),
    PageColumn("processes", "Processes", whole, True),
    PageColumn("cluster", "Into"),
    PageColumn("source_cluster", "From", lambda value: plain(value or "not watched")),
    PageColumn("kind", "Kind", lambda value: "MirrorMaker 2" if value == MM2 else "pko mirror"),
    PageColumn("command", "Command"),
)
TOPICS: Final = (
    PageColumn("topic", "Topic", sorts=False),
    PageColumn("target_topic", "At the target", sorts=False),
    PageColumn("partitions", "Partitions", whole, True, sorts=False),
    *(column._replace(sorts=False) for column in _FIGURES),
)
PARTITIONS: Final = (
    PageColumn("topic", "Topic"),
    PageColumn("partition", "Partition", whole, True),
    *_FIGURES,
    PageColumn("position", "Position", whole, True),
    PageColumn("source_start", "Begin", whole, True),
    PageColumn("source_end", "End", whole, True),
    PageColumn("member", "Copied by"),
)


def mirrors(asked: PageRequest, found: Found) -> str:
    """Every link of every cluster."""
    total, following, rows = found
    body = table(LINKS, rows, "no mirror links into the clusters that are watched", asked.query,
                 TITLE)  # fmt: skip
    pages = pager(asked.query, total, len(rows), following)
    shown = block(f"Mirror links: {total:,}", command("pko", "mirror", "status", FILE), body, pages)
    return document(asked, None, TITLE, shown, *_troubles(rows))


def _troubles(rows: Iterable[Row]) -> list[Markup]:
    lines = [f"{row['link']}: {text}" for row in rows for text in row["troubles"]]
    if not lines:
        return []
    items = [el("li", el("bdi", safe(text))) for text in lines[:ROWS]]
    return [block("What is not known", "", el("ul", *items, class_="causes warn"))]


def brief_links(asked: PageRequest, links: Sequence[MirrorLink]) -> Markup | None:
    """The links into a cluster, for its first page; None where there are none."""
    if not links:
        return None
    rows = [link_row(asked.cluster, link) for link in links[:ROWS]]
    shown = (*LINKS[:5], LINKS[7], LINKS[8])
    body = table(shown, rows, "", label="Mirror links")
    more = el("p", el("a", "all mirrors", href="/mirrors"), class_="more")
    return block(f"Mirrors into it: {len(links)}", command("pko", "mirror", "status", FILE),
                 body, more)  # fmt: skip


class LinkShown(NamedTuple):
    """A link, its partitions to show, its past, what happened to it (None: no history is kept)."""

    link: MirrorLink
    found: Found
    past: ChartPast | None
    events: Iterable[HistoryEvent] | None


def link_page(asked: PageRequest, view: ClusterView, shown: LinkShown) -> str:
    """The page of one link."""
    link = shown.link
    row = link_row(view.name, link)
    return document(
        asked, view, f"Mirror {link.name}",
        _tiles(link),
        el("p", el("code", proof(link)), class_="command"),
        *_troubles([row]),
        _pauses(link),
        periods(asked.query),
        el("div", *_charts(shown.past), class_="pictures"),
        _topics(link),
        _partitions(asked, link, shown.found),
        _members(link),
        None if shown.events is None else
        block("What changed", "", timeline(shown.events, "nothing in the last seven days")),
    )  # fmt: skip


def _tiles(link: MirrorLink) -> Markup:
    beat = link.heartbeat_seconds
    who = "heartbeat" if link.kind == MM2 else "processes"
    copied = f"last {span(beat)} ago" if beat is not None else "MirrorMaker 2"
    value = copied if link.kind == MM2 else whole(link.processes)
    into = f"from {link.source_cluster or 'a cluster that is not watched'}"
    return tiles(
        FigureTile("State", link.state, f"since {moment(link.since)}", state_tone(link.state)),
        FigureTile("Lag", whole(link.lag), f"{size(link.lag_bytes)}, {into}"),
        FigureTile("Behind", span(link.lag_seconds), "age of the first record to copy"),
        FigureTile("Caught up in", span(link.eta_seconds), "at the rates of now"),
        FigureTile("Out and in", f"{rate(link.copied_per_second)} / {rate(link.added_per_second)}",
                   "records a second"),
        FigureTile("Worst partition", plain(link.worst), many(link.partitions, "partition")),
        FigureTile("Copied by", value, who),
    )  # fmt: skip


def _pauses(link: MirrorLink) -> Markup | None:
    if not link.pauses:
        return None
    items = [el("li", el("bdi", f"{safe(pause)} is paused")) for pause in link.pauses[:ROWS]]
    return block("Paused", command("pko", "mirror", "resume", FILE, "--link", link.name),
                 el("ul", *items, class_="causes warn"))  # fmt: skip


def _charts(past: ChartPast | None) -> list[Markup]:
    return [
        chart("Lag", "Records of the source that are not copied yet", past, [("lag", "lag")]),
        chart("Behind in time", "How old the first record to copy is", past,
              [("lag_seconds", "behind")], seconds_text),
        chart("Records a second", "Copied, and written at the source", past,
              [("copied_per_second", "copied"), ("added_per_second", "written")], rate_text),
    ]  # fmt: skip


def _topics(link: MirrorLink) -> Markup:
    line_ = command("pko", "mirror", "status", FILE, "--link", link.name)
    body = table(TOPICS, link.topics[:ROWS], "nothing is mirrored yet", label="Topics")
    rest = len(link.topics) - ROWS
    more = el("p", f"and {rest:,} more", class_="more") if rest > 0 else None
    return block(f"Topics: {len(link.topics):,}", line_, body, more)


def _partitions(asked: PageRequest, link: MirrorLink, found: Found) -> Markup:
    total, following, rows = found
    body = table(PARTITIONS, rows, "nothing is mirrored yet", asked.query, "Partitions")
    pages = pager(asked.query, total, len(rows), following)
    line_ = command("pko", "mirror", "status", FILE, "--partitions", "--link", link.name)
    return block(f"Partitions: {total:,}", line_, body, pages)


def _members(link: MirrorLink) -> Markup | None:
    if link.kind == MM2:
        return None
    name = f"pko-mirror.{link.source}-{link.target}"
    items = [el("li", el("bdi", safe(member))) for member in link.members]
    known = "nobody" if link.processes is not None else "not known"
    body = el("ul", *items) if items else el("p", known, class_="nothing")
    return block("Who copies", command("pko", "groups", "describe", name), body)
