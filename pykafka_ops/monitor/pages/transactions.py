"""Transactions: which are open, which hang, what they hold up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pykafka_ops.monitor.cluster.enquiries import EnquiryReply
from pykafka_ops.monitor.cluster.questions import OpenTransactions
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.pages.frame import (
    ROWS,
    PageColumn,
    PageRequest,
    address,
    block,
    document,
    table,
)
from pykafka_ops.monitor.pages.tiles import FigureTile, tiles
from pykafka_ops.monitor.wording import line
from pykafka_ops.monitor.wording.text import UNKNOWN, many, safe, some, span, whole
from pykafka_ops.monitor.wording.transactions import LONG_SECONDS, WAITED_SECONDS, TransactionsShown
from pykafka_ops.page.markup import Markup, el

PROOF: Final = "pko transactions list"
MOST_MISSING: Final = 20


def _names(value: object) -> str:
    return some(list(value)) if isinstance(value, (list, tuple)) and value else UNKNOWN


def _tone(value: object) -> str:
    return "bad" if isinstance(value, float) and value >= LONG_SECONDS else ""


OPEN: Final = (
    PageColumn("transactional_id", "Transactional id"),
    PageColumn("state", "State"),
    PageColumn("age_seconds", "Open for", span, True, tone=_tone),
    PageColumn("timeout_seconds", "Timeout", span, True),
    PageColumn("partitions", "Partitions", whole, True),
    PageColumn("holds", "Holds up", whole, True),
    PageColumn("groups", "Groups that wait", _names),
    PageColumn("producer_id", "Producer id", whole, True),
    PageColumn("coordinator", "Coordinator", whole, True),
)


def held_columns(cluster: str) -> tuple[PageColumn, ...]:
    """Of partitions that are held up."""

    def link(row: Mapping[str, Any]) -> str:
        return address(cluster, "topics", str(row["topic"]))

    return (
        PageColumn("topic", "Topic", link=link),
        PageColumn("partition", "Partition", whole, True),
        PageColumn("stable", "Readable up to", whole, True),
        PageColumn("end", "End", whole, True),
        PageColumn("records", "Held records", whole, True),
        PageColumn("ids", "Open there", _names),
        PageColumn("groups", "Groups that wait", _names),
    )


def transactions(
    asked: PageRequest,
    view: ClusterView,
    reply: EnquiryReply[OpenTransactions],
    shown: TransactionsShown,
) -> str:
    """The page of transactions."""
    if reply.value is None:
        body = el("p", f"not known: {safe(reply.why)}", class_="nothing")
        return document(asked, view, "Transactions", block("Open transactions", PROOF, body))
    rows, held = shown.rows, shown.held
    return document(
        asked, view, "Transactions",
        _tiles(shown, bool(reply.value.missing)),
        block(f"Open transactions: {len(rows):,}", PROOF, _note(reply),
              table(OPEN, rows[:ROWS], "none is open", label="Open transactions"),
              _more(len(rows))),
        block(f"Partitions that are held up: {len(held):,}", "pko transactions find-hanging",
              el("p", "Readers of committed records cannot read beyond an open transaction. Groups "
                 "that wait have committed exactly that far.", class_="note"),
              table(held_columns(asked.cluster), held[:ROWS], "none is",
                    label="Partitions that are held up"),
              _more(len(held))),
        _missing(reply.value),
    )  # fmt: skip


def _more(count: int) -> Markup | None:
    return el("p", f"and {count - ROWS:,} more", class_="more") if count > ROWS else None


def _tiles(shown: TransactionsShown, partly: bool) -> Markup:
    ages = [row["age_seconds"] for row in shown.rows if row["age_seconds"] is not None]
    oldest = max(ages, default=None)
    note = "as far as brokers answered" if partly else ""
    sure = line.WARN if partly else line.GOOD
    long = oldest is not None and oldest >= LONG_SECONDS
    unknown = "no coordinator knows them" if shown.hung else ""
    return tiles(
        FigureTile("Open", whole(len(shown.rows)), note),
        FigureTile("Oldest", span(oldest) if ages else "none", note, line.WARN if long else sure),
        FigureTile("Hang", whole(shown.hung), note or unknown,
                   line.BAD if shown.hung else sure),
        FigureTile("Partitions held up", whole(len(shown.held)), note),
        FigureTile("Groups that wait", whole(shown.groups), note,
                   line.WARN if shown.groups else sure),
    )  # fmt: skip


def _note(reply: EnquiryReply[OpenTransactions]) -> Markup | None:
    words = [f"asked {span(reply.age)} ago"] if reply.age >= 1 else []
    words += [safe(reply.why)] if reply.why else []
    left = reply.value.left_out if reply.value is not None else 0
    words += [f"{left:,} more were too many to ask for"] if left else []
    return el("p", "; ".join(words), class_="note") if words else None


def _missing(found: OpenTransactions) -> Markup | None:
    if not found.missing:
        return None
    items = [el("li", el("bdi", safe(why))) for why in found.missing[:MOST_MISSING]]
    more = len(found.missing) - MOST_MISSING
    items += [el("li", f"and {more} more")] if more > 0 else []
    return block("What could not be asked", "", el("ul", *items, class_="causes warn"))


def _is_long(row: Mapping[str, Any]) -> bool:
    """Whether it is worth a look: sooner where groups wait."""
    least = WAITED_SECONDS if row["groups"] else LONG_SECONDS
    return bool(row["hangs"]) or (row["age_seconds"] or 0) >= least


def blocked_block(
    asked: PageRequest, reply: EnquiryReply[OpenTransactions], shown: TransactionsShown
) -> Markup | None:
    """For the first page: transactions that are open for long, or that they are not known."""
    title = "Blocked by transactions"
    if reply.value is None:
        if not reply.why or "no answer yet" in reply.why:
            return None  # the next round shows it
        return block(title, PROOF, el("p", f"not known: {safe(reply.why)}", class_="nothing"))
    long = [row for row in shown.rows if _is_long(row)]
    if not long:
        return None
    columns: Sequence[PageColumn] = (*OPEN[:3], *OPEN[5:7])
    more = el("a", f"all {many(len(shown.rows), 'open transaction')}",
              href=address(asked.cluster, "transactions"))  # fmt: skip
    body = table(columns, long[:10], "", label=title)
    return block(f"{title}: {len(long)}", PROOF, body, el("p", more, class_="more"))
