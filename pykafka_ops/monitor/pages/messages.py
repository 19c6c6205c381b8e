"""Pages of records: a search and what it found, one record, what is written just now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode

from pykafka_ops.analysis.moments import moment_text
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.messages.query import WORDS, SearchQuery
from pykafka_ops.monitor.messages.search import SearchResult
from pykafka_ops.monitor.messages.shown import ShownRecord
from pykafka_ops.monitor.pages.frame import (
    PageColumn,
    PageRequest,
    address,
    block,
    document,
    table,
)
from pykafka_ops.monitor.pages.messages_command import consume_command, record_command
from pykafka_ops.monitor.pages.messages_form import search_fields
from pykafka_ops.monitor.pages.messages_part import part_block, short_part
from pykafka_ops.monitor.wording.text import size, whole
from pykafka_ops.page.markup import Markup, el, join, shorten

SCRIPT: Final = "messages.js"
ENDS: Final = {
    "limit": "There are more.",
    "time": "It ended for the time that a search may take.",
    "bytes": "It ended for the bytes that a search may read.",
    "records": "It ended for the records that a search may look at.",
    "memory": "It ended for the memory that a search may take.",
    "cancelled": "It was cancelled.",
}
STATES: Final = {"aborted": "bad", "open": "warn", "control": "warn"}
_LIVE: Final = ("key", "text", "where", "partition", "isolation", "key_format", "value_format")
Row = Mapping[str, Any]


def _columns(asked: PageRequest, topic: str, query: SearchQuery) -> tuple[PageColumn, ...]:
    formats = {n: v for n, v in asked.query.items() if n.endswith("_format") and v}
    tail = f"?{urlencode(formats)}" if formats else ""

    def place(row: Row) -> str:
        where = (str(row["partition"]), str(row["offset"]))
        return address(asked.cluster, "topics", topic, "messages", *where) + tail

    state = PageColumn("state", "State", tone=lambda v: STATES.get(str(v), ""))
    return (
        PageColumn("partition", "Partition", str, True),
        PageColumn("offset", "Offset", str, True, link=place),
        PageColumn("time", "Time"),
        *((state,) if query.uncommitted or query.control else ()),
        PageColumn("key", "Key", str),
        PageColumn("size", "Bytes", whole, True),
        PageColumn("value", "Value", str),
    )


def _row(record: ShownRecord) -> Row:
    return {
        "partition": record.partition,
        "offset": record.offset,
        "time": None if record.timestamp < 0 else moment_text(record.timestamp),
        "state": record.state,
        "key": short_part(record.key),
        "size": record.value.size or 0,
        "value": short_part(record.value),
    }


def search(
    asked: PageRequest,
    view: ClusterView,
    topic: str,
    query: SearchQuery,
    found: SearchResult,
    *,
    masked: bool,
) -> str:
    """The form, what was found, and the live tail."""
    rows = table(
        _columns(asked, topic, query), [_row(r) for r in found.records], "no record like that"
    )
    title = f"Messages of {topic}"
    hidden = el("p", "A mask covers this topic: some of it is shown as stars.", class_="facts")
    return document(
        asked, view, title,
        block("Search", consume_command(topic, asked.query, query),
              el("p", "Read from the leaders, without a group: no consumer is disturbed.",
                 class_="facts"),
              hidden if masked else None,
              search_fields(asked.query), _summary(found), el("div", rows, class_="records"),
              _next(asked, found)),
        _partitions(found), _tail(asked, topic),
        script=SCRIPT,
    )  # fmt: skip


def _summary(found: SearchResult) -> Markup:
    """What the search looked at, and whether that was all."""
    looked = (
        f"{len(found.records):,} of {found.looked:,} records looked at, "
        f"{size(found.read_bytes)} read in {found.seconds:.2f} s. "
    )
    wrong = [lane for lane in found.lanes if lane.error or lane.faults]
    if found.complete:
        return el("p", looked, "That is all there is.", class_="facts", role="status")
    facts = ENDS.get(found.ended, "")
    if wrong:
        facts = f"{facts} Not all could be read: see the partitions below.".strip()
    tone = "stale" if wrong or found.ended != "limit" else "facts"
    return el("p", looked, facts, class_=tone, role="status")


def _next(asked: PageRequest, found: SearchResult) -> Markup | None:
    if not found.cursor:
        return None
    words = {n: v for n, v in asked.query.items() if n in WORDS and v}
    link = "?" + urlencode({**words, "cursor": found.cursor})
    back = {n: v for n, v in words.items() if n != "cursor"}
    first = el("a", "first page", href="?" + urlencode(back)) if "cursor" in words else None
    return el("p", join(el("a", "go on", href=link), " " if first else None, first), class_="pager")


def _partitions(found: SearchResult) -> Markup:
    """How far the search came in each partition."""
    columns = (
        PageColumn("partition", "Partition", str, True),
        PageColumn("begin", "From", str, True),
        PageColumn("end", "To", str, True),
        PageColumn("left", "Still to read"),
        PageColumn("error", "Not read", tone=lambda v: "bad" if v else ""),
    )
    rows = [
        {
            "partition": lane.partition,
            "begin": lane.low,
            "end": lane.high,
            "left": f"{lane.left.low} to {lane.left.high - 1}" if lane.left else "nothing",
            "error": "; ".join(filter(None, (lane.error, *lane.faults))),
        }
        for lane in found.lanes
    ]
    wrong = any(row["error"] for row in rows)
    inner = table(columns, rows, "no partitions")
    said = el("summary", f"{len(rows)} partitions: how far the search came")
    return el("section", el("details", said, inner, open=wrong))


def _tail(asked: PageRequest, topic: str) -> Markup:
    """Filled by the script; without it a line says how to follow."""
    words = {n: v for n, v in asked.query.items() if n in _LIVE and v}
    url = address(asked.cluster, "topics", topic, "tail").replace("/c/", "/api/v1/clusters/", 1)
    page = address(asked.cluster, "topics", topic, "messages")
    heads = [
        el("th", name, scope="col") for name in ("Partition", "Offset", "Time", "Key", "Value")
    ]
    return el(
        "section",
        el("h2", "Live"),
        el("div",
           el("p", el("button", "Follow live", type="button", data_start=True), " ",
              el("button", "Pause", type="button", data_pause=True, hidden=True)),
           el("p", "What is written from now on, with the filters above.", role="status",
              class_="facts"),
           el("div", el("table", el("thead", el("tr", *heads)), el("tbody")),
              class_="scroll records", tabindex="0", hidden=True),
           id="tail", data_url=f"{url}?{urlencode(words)}" if words else url, data_page=page,
           hidden=True),
        el("noscript", el("p", "Following needs scripts, or the command below.", class_="facts")),
        el("p", el("code", consume_command(topic, words, None, follow=True)), class_="command"),
    )  # fmt: skip


def record(asked: PageRequest, view: ClusterView, topic: str, shown: ShownRecord) -> str:
    """All of one record."""
    here = (asked.cluster, "topics", topic)
    place = f"{topic}, partition {shown.partition}, offset {shown.offset}"
    raw = address(*here, "records", str(shown.partition), str(shown.offset)).replace(
        "/c/", "/api/v1/clusters/", 1
    )
    facts = [
        ("Time", "none" if shown.timestamp < 0 else moment_text(shown.timestamp)),
        ("State", shown.state),
        ("Headers", str(len(shown.headers) + shown.more_headers)),
    ]
    around = [
        el("a", name, href=address(*here, "messages", str(shown.partition), str(shown.offset + by)))
        for name, by in (("previous", -1), ("next", 1))
        if shown.offset + by >= 0
    ]
    query = {"partition": str(shown.partition), "offset": str(shown.offset), "order": "oldest"}
    on = address(*here, "messages") + "?" + urlencode(query)
    return document(
        asked, view, f"Record {place}",
        block("Where it is", record_command(topic, shown.partition, shown.offset),
              _facts(facts),
              el("p", join(*_spaced([*around, el("a", "from here on", href=on),
                                     el("a", "messages", href=address(*here, "messages"))])),
                 class_="pager")),
        part_block("Key", shown.key, f"{raw}/key"),
        part_block("Value", shown.value, f"{raw}/value"),
        _headers(shown),
        script=SCRIPT,
    )  # fmt: skip


def _spaced(parts: Sequence[Markup]) -> list[Markup | str]:
    return [one for part in parts for one in (part, " ")]


def _facts(facts: Sequence[tuple[str, str]]) -> Markup:
    return el("dl", *(el("div", el("dt", name), el("dd", value)) for name, value in facts))


def _headers(shown: ShownRecord) -> Markup:
    columns = (PageColumn("name", "Header", str), PageColumn("size", "Bytes", whole, True),
               PageColumn("value", "Value", str))  # fmt: skip
    rows = [
        {"name": name, "size": part.size, "value": short_part(part)} for name, part in shown.headers
    ]
    more = None
    if shown.more_headers:
        more = el("p", f"{shown.more_headers} more are not shown.", class_="facts")
    return el("section", el("h2", "Headers"), table(columns, rows, "none"), more)


def failed(asked: PageRequest, view: ClusterView, topic: str, why: str) -> str:
    """The form again, and what is wrong."""
    title = f"Messages of {topic}"
    return document(
        asked, view, title,
        el("section", el("h2", "Search"), el("p", f"{why}.".replace("..", "."), class_="stale",
                                          role="alert"),
           search_fields(asked.query),
           el("p", el("code", consume_command(topic, {}, None)), class_="command")),
        script=SCRIPT,
    )  # fmt: skip


def refused(asked: PageRequest, why: str) -> str:
    """Who asks may not see it, or there is no such cluster."""
    return document(asked, None, "Messages", el("p", f"{shorten(why, 500)}.", class_="nothing"))
