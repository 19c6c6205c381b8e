"""What to do about the findings of all reports on a page: the most urgent first, each with the
``pko`` command that goes on from there."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pykafka_ops.analysis.commits.burrow import REWIND, STALL, STOP, WARN
from pykafka_ops.analysis.cost import UNREAD
from pykafka_ops.analysis.lag.rows import AHEAD, LOST
from pykafka_ops.page.charts.runway import DAY, tone
from pykafka_ops.page.markup import visible
from pykafka_ops.page.units import moment, number, share, size, span
from pykafka_ops.spark.model import Report, Row
from pykafka_ops.spark.page import forecast, lag, retained, skew
from pykafka_ops.spark.page.disks import place
from pykafka_ops.spark.page.parts import (
    amount,
    brief,
    least,
    listed,
    most,
    num,
    plural,
    rows,
    sentence,
    text,
)

LOSES, STANDS, FILLS, FALLS, UNEVEN, LATER = range(6)
"""How urgent: unread data goes; a group stands; a disk fills up; a group falls behind; a topic is
uneven; what can wait."""


@dataclass(frozen=True, slots=True)
class NextStep:
    """What to do, why, and the command that helps (empty: a name in it cannot be typed).

    ``urgency`` is one of the above, ``size`` orders actions of one urgency, the least first.
    """

    what: str
    why: str
    command: str
    urgency: int
    size: float = 0.0


def actions(reports: Sequence[Report]) -> list[NextStep]:
    """All that the reports ask for, in the order to do it in."""
    kinds = {r.kind: r for r in reports}
    found: list[NextStep] = []
    if report := kinds.get("retention"):
        found += [*_losses(report), *_disks(report), *_kept(report), *_cleaner(report)]
    if report := kinds.get("lag"):
        found += [*_groups(report), *_unread(report)]
        if "retention" not in kinds:
            found += _first_loss(report)
    if report := kinds.get("skew"):
        found += _uneven(report)
    if report := kinds.get("cost"):
        found += _dear(report)
    if report := kinds.get("formats"):
        found += _compressed(report)
    if report := kinds.get("forecast"):
        found += _room(report)
    return sorted(found, key=lambda a: (a.urgency, a.size))


def _command(report: Report, *words: str) -> str:
    """The command line, for a shell; empty where a name would not be itself in it."""
    servers = report.source.get("servers")
    line = ["pko", *words, *(("-b", servers) if isinstance(servers, str) else ())]
    return shlex.join(line) if all(visible(w) == w for w in line) else ""


def _name(row: Row, key: str) -> str:
    """A name as a word of a command: one that looks like an option makes the command unfit."""
    name = text(row, key)
    return "\0" if name.startswith("-") else name


def _losses(report: Report) -> Iterator[NextStep]:
    """A topic at a time: whoever loses records of it needs them for longer."""
    found: dict[str, list[Row]] = {}
    for row in retained.threatened(report):
        found.setdefault(text(row, "topic"), []).append(row)
    settings = {text(r, "topic"): r for r in rows(report, "topics")}
    for topic, own in found.items():
        first = own[0]
        soon = min(amount(r, "deleted_in_seconds") for r in own)
        groups = list(dict.fromkeys(text(r, "group") for r in own))
        records = sum(amount(r, "records_lost") for r in own)
        when = "now" if soon <= 0 else f"from {span(soon)} on"
        yield NextStep(
            f"Keep {brief(first, 'topic')} for longer",
            f"{listed(groups)} {'loses' if len(groups) == 1 else 'lose'} {number(records)} unread"
            f" records, {when}. More is on disk then.",
            _longer(report, first, settings.get(topic, {})),
            LOSES if soon <= lag.SOON else FALLS,
            soon,
        )


def _longer(report: Report, first: Row, settings: Row) -> str:
    """Twice the limits of the topic, as far as they are known."""
    limits = [
        f"{key.replace('_', '.')}={2 * int(amount(settings, key))}"
        for key in ("retention_ms", "retention_bytes")
        if amount(settings, key) > 0
    ]
    topic = _name(first, "topic")
    if not limits:
        return _command(report, "configs", "describe", "topics", topic, "--all")
    return _command(report, "configs", "set", "topics", topic, *limits)


def _first_loss(report: Report) -> Iterator[NextStep]:
    """Where only the lag report says what goes unread."""
    first = lag.loss(report)
    if first is None or amount(first, "loss_in_seconds") > lag.SOON:
        return
    soon = amount(first, "loss_in_seconds")
    when = "now" if soon <= 0 else f"as soon as in {span(soon)}"
    yield NextStep(
        f"Keep {brief(first, 'topic')} for longer",
        f"{brief(first, 'group')} may lose unread records {when}. More is on disk then.",
        _longer(report, first, {}),
        LOSES,
        soon,
    )


def _groups(report: Report) -> Iterator[NextStep]:
    for row in lag.troubled(report):
        status, name = text(row, "status"), brief(row, "group")
        what = {
            STOP: f"Start {name} again",
            STALL: f"See what {name} is stuck on",
            REWIND: f"Find out who set {name} back",
            LOST: f"Accept that {name} lost records, or read them from a backup",
            AHEAD: f"Set {name} to where the log ends",
            WARN: f"Give {name} more consumers",
        }.get(status, f"Look at {name}")
        since = num(row, "since")
        when = f", since {moment(since, '%d %b %H:%M')} UTC" if since is not None else ""
        urgency = FALLS if status in (WARN, REWIND) else STANDS
        why = f"It {lag.SAID.get(status, status)}: {lag.behind(row)}{when}."
        yield NextStep(what, why, _look(report, row, status), urgency, -amount(row, "lag"))


def _look(report: Report, row: Row, status: str) -> str:
    name = _name(row, "group")
    if status == STALL and (stuck := _stuck_at(report, row)):
        return _command(report, "consume", _name(stuck, "topic"), "--partition",
                        text(stuck, "partition"), "--offset", text(stuck, "current_offset"),
                        "-n", "1")  # fmt: skip
    if status in (REWIND, LOST):
        return _command(report, "groups", "history", name, "--since", "1d")
    if status == AHEAD:
        return _command(report, "groups", "seek", name, "--to-latest", "--dry-run")
    return _command(report, "groups", "describe", name, "--members")


def _stuck_at(report: Report, group: Row) -> Row | None:
    """The partition where a group stands, with the offset it does not get past."""
    own = [
        r for r in rows(report, "partitions")
        if r.get("group") == group.get("group") and text(r, "status") == STALL
        and num(r, "current_offset") is not None
    ]  # fmt: skip
    return most(own, "lag")


def _unread(report: Report) -> Iterator[NextStep]:
    for row in rows(report, "unread_topics"):
        yield NextStep(
            f"Ask who needs {brief(row, 'topic')}",
            f"No group reads its {number(amount(row, 'records'))} records.",
            _command(report, "topics", "describe", _name(row, "topic")),
            LATER,
            -amount(row, "records"),
        )


def _disks(report: Report) -> Iterator[NextStep]:
    for row in rows(report, "dirs"):
        days = num(row, "days_to_full")
        if days is None or tone(days) == "ok":
            continue
        grows = f"; {brief(row, 'first_topic')} grows most" if row.get("first_topic") else ""
        broker = ("--broker", text(row, "broker")) if num(row, "broker") is not None else ()
        yield NextStep(
            f"Make room on broker {brief(row, 'broker')} {brief(row, 'log_dir')}",
            f"It is full in {span(days * DAY)}{grows}.",
            _command(report, "log-dirs", "describe", *broker, "--by", "topic", "--sort-by-size"),
            FILLS,
            days,
        )


def _kept(report: Report) -> Iterator[NextStep]:
    for row in retained.kept_too_long(report):
        over = size(amount(row, "over_bytes"))
        yield NextStep(
            f"Find out why {brief(row, 'topic')} keeps old data",
            f"{over} are there beyond its policy: {text(row, 'status')}.",
            _command(report, "configs", "describe", "topics", _name(row, "topic"), "--all"),
            LATER,
            -amount(row, "over_bytes"),
        )


def _cleaner(report: Report) -> Iterator[NextStep]:
    found: dict[str, list[Row]] = {}
    for row in retained.uncleaned(report):
        found.setdefault(text(row, "topic"), []).append(row)
    for own in found.values():
        dirty = sum(amount(r, "dirty_bytes") for r in own)
        yield NextStep(
            f"Look at the cleaner of the brokers that lead {brief(own[0], 'topic')}",
            f"{size(dirty)} wait for it in {plural(len(own), 'partition')}.",
            _command(report, "topics", "describe", _name(own[0], "topic")),
            LATER,
            -dirty,
        )


def _uneven(report: Report) -> Iterator[NextStep]:
    fullest = skew.fullest(report)
    for row in skew.uneven(report):
        advice = text(row, "advice") if row.get("advice") else ""
        first = fullest.get(text(row, "topic"))
        where = "" if first is None else (
            f"partition {text(first, 'partition')} holds {share(amount(first, 'share'))}"
        )  # fmt: skip
        yield NextStep(
            f"Spread {brief(row, 'topic')} more evenly",
            f"{sentence(advice or where or text(row, 'band'))}.",
            _sample(report, row, first),
            UNEVEN,
            -amount(row, "cv"),
        )
    moves = rows(report, "moves")
    if moves:
        copied = size(sum(amount(r, "bytes") for r in moves))
        yield NextStep(
            "Move replicas to even out brokers",
            f"{plural(len(moves), 'move')}, {copied} to copy.",
            _command(report, "reassign-partitions", "plan"),
            LATER,
        )


def _dear(report: Report) -> Iterator[NextStep]:
    for row in rows(report, "savings"):
        is_unread = text(row, "kind") == UNREAD
        name, limit = brief(row, "topic"), text(row, "proposed_ms")
        saved = size(amount(row, "bytes"))
        yield NextStep(
            f"Ask who needs {name}" if is_unread else f"Keep {name} for less time",
            f"No group reads it: {saved} are older than it need be."
            if is_unread
            else f"All groups have read {saved} of it that a shorter limit takes.",
            _command(report, "topics", "describe", _name(row, "topic"))
            if is_unread
            else _command(
                report, "configs", "set", "topics", _name(row, "topic"), f"retention.ms={limit}"
            ),
            LATER,
            -amount(row, "bytes"),
        )


def _compressed(report: Report) -> Iterator[NextStep]:
    for row in rows(report, "topics"):
        if not row.get("advice"):
            continue
        codec = text(row, "best_codec")
        yield NextStep(
            f"Have new batches of {brief(row, 'topic')} compressed with {codec}"
            if codec != "none"
            else f"Leave {brief(row, 'topic')} uncompressed",
            f"About {size(amount(row, 'saved_bytes'))} less; set at producers, brokers do nothing.",
            _command(
                report, "configs", "set", "topics", _name(row, "topic"), f"compression.type="
                f"{codec if codec != 'none' else 'uncompressed'}",
            ),
            LATER,
            -amount(row, "saved_bytes"),
        )  # fmt: skip


def _room(report: Report) -> Iterator[NextStep]:
    grown = next((r for r in rows(report, "topics") if amount(r, "bytes_per_day") > 0), None)
    why = "" if grown is None else f" {brief(grown, 'topic')} grows most."
    for row in forecast.filling(report):
        days = num(row, "days_expected")
        early = span(amount(row, "days_earliest") * DAY)
        when = f"in {span(days * DAY)}" if days else f"in {early} at the earliest"
        yield NextStep(
            f"Make room on {place(row)}",
            f"{size(amount(row, 'capacity'))} {'are' if days == 0 else 'will be'} reached"
            f"{'' if days == 0 else f' {when}'}.{why}",
            _command(report, "spark", "retention"),
            FILLS if tone(days) != "ok" else LATER,
            amount(row, "days_earliest"),
        )


def _sample(report: Report, topic: Row, first: Mapping[str, object] | None) -> str:
    """The newest records of the fullest partition: their keys say who writes there."""
    where = () if first is None else ("--partition", text(first, "partition"))
    return _command(report, "consume", _name(topic, "topic"), *where, "--last", "20",
                    "-o", "table")  # fmt: skip


def hit(reports: Sequence[Report]) -> tuple[list[str], list[str]]:
    """Groups and topics that are in trouble, the worst first."""
    groups: list[str] = []
    topics: list[str] = []
    for report in reports:
        if report.kind == "retention":
            lost = retained.threatened(report)
            groups = [text(r, "group") for r in lost] + groups
            topics = [text(r, "topic") for r in lost] + topics
        elif report.kind == "lag":
            groups += [text(r, "group") for r in lag.troubled(report)]
            first = least([r for r in [lag.loss(report)] if r], "loss_in_seconds")
            if first and amount(first, "loss_in_seconds") <= lag.SOON:
                topics.append(text(first, "topic"))
        elif report.kind == "skew":
            topics += [text(r, "topic") for r in skew.uneven(report)]
    return list(dict.fromkeys(groups)), list(dict.fromkeys(topics))
