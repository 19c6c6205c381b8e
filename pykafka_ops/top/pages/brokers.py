"""Brokers, what one of them holds, and moves between them."""

from __future__ import annotations

from typing import Final

from pykafka_ops.client.quorum import Quorum, QuorumReplica, leader_of
from pykafka_ops.client.reassignments import Reassignment
from pykafka_ops.monitor.cluster.kraft import voters_behind
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.wording import line
from pykafka_ops.monitor.wording.line import Line
from pykafka_ops.monitor.wording.text import many, plain, safe, size, whole
from pykafka_ops.top.pages import words
from pykafka_ops.top.seen import SeenCluster
from pykafka_ops.top.table import Entry, Page, TopColumn, ViewPlace

BROKERS: Final = (
    TopColumn("id", "BROKER", 6, right=True),
    TopColumn("address", "ADDRESS"),
    TopColumn("rack", "RACK", 8, rank=3),
    TopColumn("controller", "CONTROLLER", 10, rank=2),
    TopColumn("replicas", "REPLICAS", 8, right=True, text=whole),
    TopColumn("lagging", "LAGGING", 7, right=True, text=whole),
    TopColumn("leaders", "LEADERS", 7, right=True, text=whole),
    TopColumn("bytes", "SIZE", 9, right=True, rank=1, text=size),
    TopColumn("free_bytes", "FREE", 9, right=True, text=size),
    TopColumn("state", "STATE", 6, tone=words.tone),
)
HELD: Final = (
    TopColumn("topic", "TOPIC"),
    words.PARTITION,
    TopColumn("role", "ROLE", 8),
    TopColumn("sync", "SYNC", 7, tone=words.tone),
    TopColumn("bytes", "SIZE", 9, right=True, text=size),
    TopColumn("dir", "DIRECTORY", rank=1),
)
MOVES: Final = (
    TopColumn("topic", "TOPIC"),
    words.PARTITION,
    TopColumn("replicas", "REPLICAS", 12),
    TopColumn("adding", "ADDING", 9),
    TopColumn("removing", "REMOVING", 9),
    TopColumn("copied", "COPIED", 6, right=True, text=lambda v: "-" if v is None else f"{v}%"),
)


def brokers_page(seen: SeenCluster) -> Page:
    """All brokers that live or hold replicas."""
    entries = [
        Entry(
            row["id"],
            tuple(row.get(c.key) for c in BROKERS),
            ViewPlace("broker", str(row["id"])),
        )
        for row in seen.view.brokers
    ]
    return Page(
        f"brokers ({len(entries)})" if entries else "brokers",
        BROKERS,
        entries,
        controllers(seen.view),
        command=("pko", "cluster", "status"),
        empty="not known yet",
    )


def controllers(view: ClusterView) -> list[Line]:
    """The quorum in a line, what does not follow it, brokers that are not let in; [] on
    ZooKeeper."""
    if not view.is_kraft:
        return []
    quorum, lost = view.quorum, (view.facts or {}).get("quorum_lost")
    if quorum is None:
        text = "no controller leads the quorum" if lost else "the quorum is not known"
        return [Line(text, line.BAD if lost else line.WARN)]
    leader = leader_of(quorum)
    behind = [] if leader is None else _behind(quorum, leader)
    who = f"controller {quorum.leader} leads" if quorum.leader >= 0 else "nobody leads"
    text = f"quorum: {who}, epoch {quorum.epoch}, {many(len(quorum.voters), 'voter')}"
    lines = [Line(text, line.NONE if leader else line.BAD), *behind]
    if view.fenced is None:
        lines.append(Line("fenced brokers: not known", line.WARN))
    elif view.fenced:
        names = ", ".join(map(str, view.fenced[:10]))
        lines.append(Line(f"fenced brokers: {names}", line.BAD))
    return lines


def _behind(quorum: Quorum, leader: QuorumReplica) -> list[Line]:
    """The voters that lack records of metadata; those that do not follow in another colour."""
    late = set(voters_behind(quorum) or ())
    lines = []
    for voter in quorum.voters:
        lag = leader.end - voter.end if min(voter.end, leader.end) >= 0 else None
        if voter.id in late or lag is None or lag > 0:
            tone = line.BAD if voter.id in late else line.NONE
            lines.append(Line(f"controller {voter.id}: {whole(lag)} records behind", tone))
    return lines


def broker_page(seen: SeenCluster, place: ViewPlace) -> Page:
    """The replicas of a broker, those that are behind first, and its log directories."""
    view, id_ = seen.view, int(place.name) if place.name.isdigit() else -1
    where = {
        (r.topic, r.partition): (r.size, d.path)
        for d in (view.dirs or {}).get(id_, ())
        for r in d.replicas
        if not r.future
    }
    entries = []
    for name, topic in (view.topics or {}).items():
        for p in topic.description.partitions:
            if id_ not in p.replicas:
                continue
            bytes_, path = where.get((name, p.number), (None, None))
            role = "leader" if p.leader == id_ else "follower"
            sync = "in sync" if id_ in p.isr else "behind"
            values = (name, p.number, role, sync, bytes_, path)
            entries.append(Entry((name, p.number), values, ViewPlace("topic", name)))
    entries.sort(key=lambda e: e.values[3] == "in sync")
    return Page(
        f"broker {safe(place.name)}",
        HELD,
        entries,
        _about(view, id_),
        ("pko", "log-dirs", "describe", "--broker", place.name, "--by", "replica"),
        "it holds no replica",
    )


def _about(view: ClusterView, id_: int) -> list[Line]:
    row = next((r for r in view.brokers if r["id"] == id_), None)
    if row is None:
        return [Line("there is no such broker", line.WARN)]
    lines = [
        Line(
            f"{plain(row['address'])}, rack {plain(row['rack'])}, {row['state']}"
            + (", controller" if row["controller"] else ""),
            words.tone(row["state"]),
        )
    ]
    dirs = (view.dirs or {}).get(id_)
    if dirs is None:
        return [*lines, Line("log directories: not known", line.WARN)]
    for d in dirs[:4]:
        used = sum(r.size for r in d.replicas)
        free = size(d.usable_bytes) if d.usable_bytes >= 0 else "-"
        failed = f", failed: {safe(str(d.error))}" if d.error is not None else ""
        text = f"{safe(d.path)}: {size(used)}, free {free}{failed}"
        lines.append(Line(text, line.BAD if failed else line.NONE))
    return lines


def moves_page(seen: SeenCluster) -> Page:
    """Moves under way, and how much of the new replicas is there as of the last look at disks."""
    moves = seen.view.moves
    sizes = _sizes(seen.view) if moves else {}
    entries = [
        Entry(
            place,
            (*place, m.replicas, m.adding, m.removing, _copied(m, place, sizes)),
            ViewPlace("topic", place[0]),
        )
        for place, m in sorted((moves or {}).items())
    ]
    return Page(
        f"moves ({len(entries)})" if moves is not None else "moves",
        MOVES,
        entries,
        command=("pko", "reassign-partitions", "list"),
        empty="not known" if moves is None else "no move is under way",
    )


def _sizes(view: ClusterView) -> dict[tuple[str, int, int], int]:
    return {
        (r.topic, r.partition, broker): r.size
        for broker, dirs in (view.dirs or {}).items()
        for d in dirs
        for r in d.replicas
    }


def _copied(
    move: Reassignment, place: tuple[str, int], sizes: dict[tuple[str, int, int], int]
) -> int | None:
    """Percent of the bytes of the largest old replica; None: not known."""
    old = [sizes.get((*place, b)) for b in move.replicas if b not in move.adding]
    new = [sizes.get((*place, b)) for b in move.adding]
    known = [s for s in old if s]
    if not known or not new or any(s is None for s in new):
        return None
    most = max(known) * len(new)
    return min(100, 100 * sum(s or 0 for s in new) // most)
