"""Consumer groups, and the partitions of one with who reads them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pykafka_ops.analysis.lag.rows import STATUSES, LagRow
from pykafka_ops.client.group_describe import MemberDescription
from pykafka_ops.monitor.cluster.view import WatchedGroup
from pykafka_ops.monitor.wording import line
from pykafka_ops.monitor.wording.line import Line
from pykafka_ops.monitor.wording.text import many, moment, safe, span, whole
from pykafka_ops.top.pages import words
from pykafka_ops.top.seen import SeenCluster
from pykafka_ops.top.table import Entry, Page, TopColumn, ViewPlace

GROUPS: Final = (
    TopColumn("group", "GROUP"),
    words.STATUS,
    words.LAG,
    words.BEHIND,
    words.ETA,
    words.LOST_IN,
    words.RATE_IN,
    words.RATE_OUT,
    TopColumn("members", "MEMB", 4, right=True, rank=3, text=whole),
    TopColumn("state", "STATE", 9, rank=6),
    TopColumn("type", "TYPE", 8, rank=7),
)
ROWS: Final = (
    TopColumn("topic", "TOPIC"),
    words.PARTITION,
    words.STATUS,
    words.LAG,
    words.BEHIND,
    words.ETA,
    TopColumn("current_offset", "OFFSET", 10, right=True, rank=3, text=whole),
    TopColumn("log_end_offset", "END", 10, right=True, rank=4, text=whole),
    TopColumn("member", "MEMBER", rank=1),
)
NOBODY: Final = "nobody"


def groups_page(seen: SeenCluster) -> Page:
    """All groups, the worst first."""
    found = seen.view.groups
    return Page(
        "groups" if found is None else f"groups ({len(found)})",
        GROUPS,
        group_entries(() if found is None else found.values()),
        command=("pko", "groups", "lag"),
        empty=_unknown(seen) if found is None else "no groups",
    )


def _unknown(seen: SeenCluster) -> str:
    return "not known yet" if seen.view.at is None else "not known: no broker lists the groups"


def group_entries(groups: Iterable[WatchedGroup]) -> list[Entry]:
    """A row for each, the worst verdict and the largest lag first."""
    worst = sorted(groups, key=lambda g: (-STATUSES.index(g.row.status), -(g.row.lag or 0)))
    return [
        Entry(
            g.row.group,
            (
                *(g.row.group, g.row.status, g.row.lag, g.row.lag_seconds),
                *(g.row.catch_up_seconds, words.loss_of(g), g.row.rate_in, g.row.rate_out),
                *(g.member_count, g.row.state, g.type),
            ),
            ViewPlace("group", g.row.group),
        )
        for g in worst
    ]


def group_page(seen: SeenCluster, place: ViewPlace) -> Page:
    """The partitions of a group; Enter shows the record that is read next."""
    group = (seen.view.groups or {}).get(place.name)
    readers = {} if group is None else {p: m for m in group.members for p in m.assigned}
    rows = sorted(seen.rows or (), key=lambda r: (-STATUSES.index(r.status), -(r.lag or 0)))
    empty = seen.waiting if seen.rows is None else "nothing is committed or read"
    if group is None:
        gone = f"there is no group {safe(place.name)}"
        empty = _unknown(seen) if seen.view.groups is None else gone
    return Page(
        f"group {safe(place.name)}",
        ROWS,
        [_entry(r, readers.get((r.topic, r.partition))) for r in rows],
        _about(group, seen.now),
        ("pko", "groups", "lag", place.name, "--partitions"),
        empty,
    )


def _entry(row: LagRow, reader: MemberDescription | None) -> Entry:
    offset = -1 if row.current_offset is None else row.current_offset
    return Entry(
        (row.topic, row.partition),
        (
            *(row.topic, row.partition, row.status, row.lag, row.lag_seconds),
            *(row.catch_up_seconds, row.current_offset, row.log_end_offset),
            _reader(row, reader),
        ),
        ViewPlace("messages", row.topic, row.partition, offset),
    )


def _reader(row: LagRow, reader: MemberDescription | None) -> str:
    """One member with its host; of a share group, in which several may read, as the row has it."""
    if reader is None:
        return NOBODY
    if row.client_id not in (None, reader.client_id):
        return str(row.client_id)
    return f"{reader.client_id} {reader.host}"


def _members(group: WatchedGroup) -> str:
    count = group.member_count
    return "members not known" if count is None else many(count, "member")


def _about(group: WatchedGroup | None, now: int) -> list[Line]:
    if group is None:
        return []
    state = (
        f"{safe(group.row.state) or '-'}, {_members(group)}, coordinator "
        f"{group.coordinator if group.coordinator >= 0 else '-'}, "
        f"{safe(group.type or '-')} {safe(group.protocol_type or '-')}"
    )
    verdict = group.row.status
    if group.since is not None:
        verdict += f" since {moment(group.since)} ({span(max(0, now - group.since) / 1000)})"
    verdict += f", lag {whole(group.row.lag)}, behind {span(group.row.lag_seconds)}"
    verdict += f", loses records: {words.lost_in(words.loss_of(group))}"
    lines = [Line(state), Line(verdict, words.tone(group.row.status))]
    if group.row.unknown_partitions:
        count = many(group.row.unknown_partitions, "partition")
        lines.append(Line(f"the lag of {count} is not known", line.WARN))
    return lines
