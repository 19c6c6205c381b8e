"""A topic: its partitions, where its bytes lie, its settings and where they come from, who reads
it, how it went."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from pykafka_ops.analysis.skew import imbalance
from pykafka_ops.client.configs import ConfigEntry
from pykafka_ops.monitor.cluster.enquiries import EnquiryReply
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.history.model import HistoryEvent
from pykafka_ops.monitor.pages import columns
from pykafka_ops.monitor.pages.events import timeline
from pykafka_ops.monitor.pages.frame import (
    Found,
    PageRequest,
    address,
    block,
    command,
    document,
    pager,
    table,
)
from pykafka_ops.monitor.pages.pictures import ChartPast, chart, periods, rate_text
from pykafka_ops.monitor.pages.settings import settings_block
from pykafka_ops.monitor.pages.tiles import FigureTile, tiles
from pykafka_ops.monitor.pages.ways import change_links
from pykafka_ops.monitor.wording import line
from pykafka_ops.monitor.wording.text import many, rate, size, whole
from pykafka_ops.page.charts.bars import Bar, bars
from pykafka_ops.page.markup import Markup, el
from pykafka_ops.page.units import size as size_text
from pykafka_ops.settings.topic import TOPIC

FACTS = ("rate_in", "bytes")
MOST = 100
"""Groups and brokers that are named."""


class TopicShown(NamedTuple):
    """A topic's body as ``/api/v1`` has it, the partitions to show, bytes by broker (None: not
    known), its settings, rows of the groups that read it, its past, what changed."""

    body: Mapping[str, Any]
    found: Found
    by_broker: Mapping[int, int] | None
    settings: EnquiryReply[list[ConfigEntry]]
    readers: Sequence[Mapping[str, Any]] | None
    past: ChartPast | None
    events: Iterable[HistoryEvent] | None


def topic(asked: PageRequest, view: ClusterView, shown: TopicShown) -> str:
    """The page of a topic."""
    name = str(shown.body["topic"])
    return document(
        asked, view, f"Topic {name}",
        _tiles(shown),
        el("p", el("a", "Messages", href=address(asked.cluster, "topics", name, "messages")),
           class_="more"),
        change_links(asked, "topic", name),
        periods(asked.query),
        el("div",
           chart("Records in", "Written a second", shown.past, [("rate_in", "records/s")],
                 rate_text),
           chart("Bytes", "Of all replicas, on all disks", shown.past, [("bytes", "bytes")],
                 size_text),
           class_="pictures"),
        _partitions(asked, shown.found, name),
        el("div", el("div", _readers(asked, shown.readers, name)),
           el("div", _placed(shown.by_broker)), class_="columns"),
        settings_block("Settings", command("pko", "configs", "describe", "topics", name),
                       shown.settings, TOPIC, shown.body["settings"]),
        None if shown.events is None else
        block("What changed", "", timeline(shown.events, "nothing in the last seven days")),
    )  # fmt: skip


def _tiles(shown: TopicShown) -> Markup:
    body = shown.body
    kinds = (("offline", "offline"), ("under_replicated", "under-replicated"))
    bad = [f"{body[key]} {word}" for key, word in kinds if body[key]]
    readers = "not known" if shown.readers is None else many(len(shown.readers), "group")
    return tiles(
        FigureTile("Partitions", whole(body["partitions"]), ", ".join(bad) or "all in sync",
                   line.BAD if bad else line.GOOD),
        FigureTile("Replicas", whole(body["replicas"]), "of each partition"),
        FigureTile("Offsets", whole(body["records"]), "between begin and end"),
        FigureTile("Records in", f"{rate(body['rate_in'])}/s"),
        FigureTile("Bytes", size(body["bytes"]), "of all replicas"),
        FigureTile("Read by", readers),
    )  # fmt: skip


def _partitions(asked: PageRequest, found: Found, name: str) -> Markup:
    total, following, rows = found
    body = table(columns.TOPIC_PARTITIONS, rows, "no partitions", asked.query, "Partitions")
    pages = pager(asked.query, total, len(rows), following)
    return block(f"Partitions: {total:,}", command("pko", "topics", "describe", name), body, pages)


def _readers(asked: PageRequest, readers: Sequence[Mapping[str, Any]] | None, name: str) -> Markup:
    proof = command("pko", "groups", "list")
    if readers is None:
        body = el("p", "not known: no broker listed its groups", class_="nothing")
        return block("Groups that read it", proof, body)
    shown = columns.groups(asked.cluster)[:5]
    body = table(shown, readers[:MOST], "no group reads it", label="Groups that read it")
    return block(f"Groups that read it: {len(readers):,}", proof, body)


def _placed(by_broker: Mapping[int, int] | None) -> Markup:
    title, proof = "Bytes by broker", "pko log-dirs describe"
    if by_broker is None:
        return block(title, proof, el("p", "not known: a broker did not answer", class_="nothing"))
    most = sorted(by_broker.items(), key=lambda item: -item[1])
    shown = [Bar(f"broker {b}", held, size_text(held)) for b, held in most[:12]]
    said = f"{imbalance(list(by_broker.values())).band}, over {many(len(by_broker), 'broker')}"
    return block(title, proof, el("p", said, class_="note"), bars(title, shown))
