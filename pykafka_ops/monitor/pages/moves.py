"""Moves of replicas: what moves where, bytes to go, throttles, when it is done. Elections: which
partitions another than their preferred replica leads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pykafka_ops.monitor.cluster.enquiries import EnquiryReply
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.history.model import HistoryEvent
from pykafka_ops.monitor.pages import columns
from pykafka_ops.monitor.pages.events import timeline
from pykafka_ops.monitor.pages.frame import (
    ROWS,
    Found,
    PageColumn,
    PageRequest,
    address,
    block,
    document,
    pager,
    table,
)
from pykafka_ops.monitor.pages.pictures import ChartPast, chart, periods
from pykafka_ops.monitor.pages.tiles import FigureTile, tiles
from pykafka_ops.monitor.wording import line
from pykafka_ops.monitor.wording.moves import MovesLeft
from pykafka_ops.monitor.wording.text import UNKNOWN, many, safe, size, span, whole
from pykafka_ops.page.markup import Markup, el
from pykafka_ops.page.units import percent
from pykafka_ops.page.units import size as size_text

PROOF: Final = "pko reassign-partitions status"
LEFT: Final = "move_bytes_left"
"""The fact of the history that bytes to go are kept as."""


class MovesShown(NamedTuple):
    """All together, rows of moves, seconds until done (None: not known), throttles (bytes/s) by
    broker, the past of the bytes to go."""

    sums: MovesLeft
    found: Found
    seconds: float | None
    throttles: EnquiryReply[dict[int, dict[str, str]]]
    past: ChartPast | None


def _share(value: object) -> str:
    return percent(100 * value) if isinstance(value, float) else UNKNOWN


def _columns(cluster: str) -> tuple[PageColumn, ...]:
    def link(row: Mapping[str, Any]) -> str:
        return address(cluster, "topics", str(row["topic"]))

    return (
        columns.MOVES[0]._replace(link=link),
        *columns.MOVES[1:],
        PageColumn("bytes", "Bytes", size, True),
        PageColumn("left", "To go", size, True),
        PageColumn("share", "Done", _share, True),
    )


def moves(asked: PageRequest, view: ClusterView, shown: MovesShown | None) -> str:
    """The page of moves; ``shown`` None: no broker listed them."""
    if shown is None:
        body = el("p", "not known: the controller did not list its moves", class_="nothing")
        return document(asked, view, "Moves", block("Moves under way", PROOF, body))
    sums = shown.sums
    done = None
    if sums.bytes and sums.left is not None:
        done = 1 - sums.left / sums.bytes
    rest = "done" if not sums.moves else span(shown.seconds)
    total, following, rows = shown.found
    return document(
        asked, view, "Moves",
        tiles(
            FigureTile("Moves under way", whole(sums.moves)),
            FigureTile("Bytes to go", size(sums.left), f"of {size(sums.bytes)}"),
            FigureTile("Done", _share(done) if sums.moves else "all"),
            FigureTile("Done in", rest, "at the rate of the last minutes" if sums.moves else ""),
            FigureTile("Throttle", *_throttle(shown.throttles)),
        ),
        periods(asked.query),
        el("div", chart("Bytes to go", "Of all moves, over time", shown.past,
                        [(LEFT, "to go")], size_text), class_="pictures"),
        block(f"Moves under way: {total:,}", PROOF,
              table(_columns(asked.cluster), rows, "nothing moves", asked.query, "Moves under way"),
              pager(asked.query, total, len(rows), following)),
    )  # fmt: skip


def _throttle(reply: EnquiryReply[dict[int, dict[str, str]]]) -> tuple[str, str]:
    """What brokers may copy a second, and a note."""
    if reply.value is None:
        return UNKNOWN, f"not known: {safe(reply.why)}"
    rates = [int(v) for found in reply.value.values() for v in found.values() if v.isdecimal()]
    rates = [rate for rate in rates if rate < 1 << 62]  # Kafka's default is no limit
    if not rates:
        return "none", f"{many(len(reply.value), 'broker')} answered"
    low, high = min(rates), max(rates)
    text = size_text(low) if low == high else f"{size_text(low)} to {size_text(high)}"
    return f"{text}/s", "a broker, to others or from them"


# --- elections -----------------------------------------------------------------------------------


def elections(
    asked: PageRequest,
    view: ClusterView,
    found: Found,
    brokers: Sequence[Mapping[str, Any]],
    events: Iterable[HistoryEvent] | None,
) -> str:
    """Partitions not led by their preferred replica, and how many each broker lacks."""
    total, following, rows = found

    def link(row: Mapping[str, Any]) -> str:
        return address(asked.cluster, "topics", str(row["topic"]))

    shown = (
        PageColumn("topic", "Topic", link=link),
        PageColumn("partition", "Partition", whole, True),
        PageColumn("leader", "Leader", whole, True),
        PageColumn("preferred", "Preferred", whole, True),
        PageColumn("can", "Preferred is", status=True, tone=lambda v: "good" if v == "in sync" else
                   "warn"),
        PageColumn("isr", "ISR"),
    )  # fmt: skip
    lacking = (
        PageColumn("id", "Broker", whole),
        PageColumn("preferred", "Should lead", whole, True),
        PageColumn("leaders", "Leads", whole, True),
        PageColumn("imbalance_percent", "Led elsewhere", columns.percent_text, True),
    )
    tone = line.WARN if total else line.GOOD if view.at else line.NONE
    return document(
        asked, view, "Elections",
        tiles(FigureTile("Led elsewhere", whole(total) if view.troubled is not None else UNKNOWN,
                         "partitions not led by their preferred replica", tone)),
        block(f"Not led by the preferred replica: {total:,}", "pko leader-election list",
              table(shown, rows, "every partition is led by its preferred replica", asked.query,
                    "Partitions"),
              pager(asked.query, total, len(rows), following)),
        _lacking(lacking, brokers),
        None if events is None else
        block("Leaders that changed", "", timeline(events, "none in the last seven days")),
    )  # fmt: skip


def _lacking(shown: Sequence[PageColumn], brokers: Sequence[Mapping[str, Any]]) -> Markup | None:
    if not brokers:
        return None
    rows = sorted(brokers, key=lambda row: -float(row["imbalance_percent"]))[:ROWS]
    return block("Brokers that do not lead all they should", "",
                 table(shown, rows, "none", label="Brokers"))  # fmt: skip
