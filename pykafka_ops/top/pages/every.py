"""Which page a place has, and the words that lead to it."""

from __future__ import annotations

from typing import Final

from pykafka_ops.errors import UsageError
from pykafka_ops.monitor.wording.text import safe
from pykafka_ops.top.pages.brokers import broker_page, brokers_page, moves_page
from pykafka_ops.top.pages.groups import group_page, groups_page
from pykafka_ops.top.pages.overview import overview_page
from pykafka_ops.top.pages.records import messages_page, record_page
from pykafka_ops.top.pages.topics import topic_page, topics_page, troubled_page
from pykafka_ops.top.seen import SeenCluster
from pykafka_ops.top.table import Entry, Page, TopColumn, ViewPlace

VIEWS: Final = ("overview", "brokers", "topics", "groups", "partitions", "moves")
"""The views that a digit leads to, from 1 on."""
KEYS: Final = (
    ("1 .. 6", "overview, brokers, topics, groups, partitions in trouble, moves"),
    (":", "go to: a view, or topic NAME, group NAME, broker ID,"),
    ("", "messages TOPIC PARTITION [OFFSET]; q quits"),
    ("Enter, Esc", "into the row, and back"),
    ("/", "filter rows by a text; ! before it: rows without; Esc drops it"),
    ("s, S", "sort by the next column; the other way round"),
    ("r", "ask the cluster now"),
    ("c", "the pko command with the same answer"),
    ("arrows, j k", "one row; PgUp PgDn a page; Home End, g G the ends"),
    ("n p [ ] o", "in messages: next, before, first, newest, from an offset"),
    ("e", "in a topic, with --actions: elect the preferred leaders"),
    ("m", "in a group, with --actions: move its offsets"),
    ("q, Ctrl-C", "quit"),
)
_HELP: Final = (TopColumn("key", "KEY", 12, text=str), TopColumn("does", "DOES"))


def page_of(seen: SeenCluster, place: ViewPlace) -> Page:  # noqa: C901 - a table
    """The page of a place."""
    match place.view:
        case "brokers":
            return brokers_page(seen)
        case "broker":
            return broker_page(seen, place)
        case "topics":
            return topics_page(seen)
        case "topic":
            return topic_page(seen, place)
        case "groups":
            return groups_page(seen)
        case "group":
            return group_page(seen, place)
        case "partitions":
            return troubled_page(seen)
        case "moves":
            return moves_page(seen)
        case "messages":
            return messages_page(seen, place)
        case "record":
            return record_page(seen, place)
        case "help":
            entries = [Entry(n, row) for n, row in enumerate(KEYS)]
            return Page("keys", _HELP, entries, command=("pko", "top", "--help"))
    return overview_page(seen)


def place_of(text: str) -> ViewPlace:
    """The place that words mean, a view by its beginning; UsageError."""
    word, _, rest = text.strip().partition(" ")
    rest = rest.strip()
    view = next((v for v in (*VIEWS, "help") if word and v.startswith(word)), None)
    if view is not None and not rest:
        return ViewPlace(view)
    if word in ("topic", "topics", "group", "groups", "broker", "brokers") and rest:
        return ViewPlace(word.removesuffix("s"), rest)
    if word == "messages":
        topic, *numbers = rest.split()[:3] or [""]
        if topic and numbers and all(n.isascii() and n.isdigit() and len(n) < 19 for n in numbers):
            return ViewPlace("messages", topic, *(int(n) for n in numbers))
        raise UsageError("write: messages TOPIC PARTITION [OFFSET]")
    raise UsageError(f"no view {safe(text)}: {', '.join(VIEWS)}, topic NAME, group NAME")
