"""``pko audit tiers``: what producers say they sent, against what logs hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pykafka_ops.analysis.books.line import NO_TIME, Lines, across
from pykafka_ops.analysis.books.tiers import STATES, Balance, TierCount, balanced, by_topic
from pykafka_ops.analysis.conditions import ConditionField
from pykafka_ops.audit.book import AuditBook, Tier
from pykafka_ops.audit.published import follow, published
from pykafka_ops.commands.audit.tiers_of import (
    Opened,
    now_ms,
    open_audit_book,
    place_of_tier,
    wanted_topics,
)
from pykafka_ops.commands.audit.words import moment_of, time_limits
from pykafka_ops.commands.framework.output import Cells, Column, Table, numbers, with_sizes
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.watch import fail_on, met
from pykafka_ops.errors import UsageError

_FIELDS: Final = {
    "topic": ConditionField("text"),
    "tier": ConditionField("text"),
    "state": ConditionField("text", STATES),
    **dict.fromkeys(("records", "bytes", "missing", "extra"), ConditionField()),
}


def _counts(value: object) -> bool:
    return isinstance(value, int) and value > 0


_COLUMNS: Final = (
    Column("topic"),
    Column("bucket", right=True, optional=True),
    Column("tier"),
    *numbers("records", "bytes"),
    *(Column(name, right=True, bad=_counts) for name in ("missing", "extra")),
    Column("state", bad=lambda value: value in ("missing", "extra")),
)


def tiers(run: Run) -> Table:
    """A row for each topic and tier, with ``--buckets`` for each bucket too."""
    failing = fail_on(run, _FIELDS)
    cluster = run.args.has("bootstrap-server")
    with open_audit_book(run, must_exist=not cluster) as book:
        if cluster:
            _follow(run, book)
        rows = [_row(one) for one in _balances(run, book)]
    if not rows:
        raise UsageError("no tier has published anything yet: see AuditedProducer in docs/audit.md")
    lines = met(failing, rows, ("topic", "tier"))
    bad = failing is None and any(row["state"] in ("missing", "extra") for row in rows)
    shown = [_shown(row) for row in rows]
    return Table(
        "audit-balance", _COLUMNS, shown, items=rows, notes=lines,
        exit_code=4 if lines or bad else None,
    )  # fmt: skip


def _shown(row: Cells) -> Cells:
    return {**with_sizes(row), "bucket": moment_of(row["bucket"])}


def _follow(run: Run, book: AuditBook) -> None:
    """Take what is new in the audit topic."""
    opened = Opened(run)
    try:
        place = place_of_tier(run)
        topic = run.args.text("audit-topic") or ""
        found = follow(book, str(place["bootstrap"]), opened.here(place), topic)
    finally:
        opened.close()
    run.note(f"{found.new} audit messages are new" + _odd(found.again, found.refused))
    if found.refused:
        run.note(f"the first that is none: {found.first_refusal}")


def _odd(again: int, refused: int) -> str:
    said = f", {again} had been counted before" if again else ""
    return said + (f", {refused} are none" if refused else "")


def _balances(run: Run, book: AuditBook) -> list[Balance]:
    every = book.tiers()
    names = run.args.names("tiers")
    known = {tier.name: tier for tier in every}
    unknown = [name for name in names if name not in known]
    said = list(published(book))
    spoken = {one.tier for one, _ in said}
    if missing := [name for name in unknown if name not in spoken]:
        raise UsageError(f"{missing[0]}: no such tier was counted, and none has published")
    chosen = [known[name] for name in names if name in known] if names else every
    reference = run.args.text("against") or "producer"
    if said and reference not in spoken | set(known):
        raise UsageError(f"--against {reference}: choose one of {', '.join(sorted(spoken))}")
    width = max([tier.width for tier in chosen] + [length for _, length in said], default=1)
    _check_widths(chosen, [length for _, length in said], width)
    counts = [one for one, _ in said if not names or one.tier in names or one.tier == reference]
    limits = time_limits(run.args, now_ms())
    wanted = wanted_topics(run.args)
    topics = {one.topic for one in counts}
    for tier in chosen:
        counts += (one for one in _counted(book, tier) if one.topic in topics)
    counts = [one for one in counts if wanted(one.topic) and _within(one.bucket, width, limits)]
    read = [p.read_ms for tier in chosen for p in book.places(tier)]
    settled = min([now_ms(), *read]) - (run.args.wait("grace") or 0)
    found = list(balanced(counts, reference, width, settled))
    return found if run.args.has("buckets") else by_topic(found)


def _check_widths(chosen: list[Tier], lengths: list[int], width: int) -> None:
    for length in {*lengths, *(tier.width for tier in chosen)}:
        if length <= 0 or width % length:
            raise UsageError(
                f"buckets of {length} ms and of {width} ms do not fit: count with --bucket as "
                "producers do"
            )


def _within(bucket: int, width: int, limits: tuple[int | None, int | None]) -> bool:
    (first, end), start = limits, bucket - bucket % width
    return (first is None or start + width > first) and (end is None or start < end)


def _counted(book: AuditBook, tier: Tier) -> Iterator[TierCount]:
    """What a log has, by topic and bucket."""
    parts: dict[str, list[Lines]] = {}
    for place in book.places(tier):
        parts.setdefault(place.topic, []).append(book.book(place).lines)
    for topic, lines in parts.items():
        for start, line in across(lines).items():
            if start != NO_TIME:
                yield TierCount(topic, start, tier.name, line.records, line.bytes)


def _row(one: Balance) -> Cells:
    return {
        "topic": one.topic,
        "bucket": one.bucket if one.bucket >= 0 else None,
        "tier": one.tier,
        "records": one.records,
        "bytes": one.bytes,
        "missing": one.missing,
        "extra": one.extra,
        "state": one.state,
    }
