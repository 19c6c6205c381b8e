"""The tables of kafka-consumer-groups 4.3, column for column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pykafka_ops.analysis.lag.standing import Standing
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.group_describe import GroupDescription, MemberDescription
from pykafka_ops.client.leaders import Partition

Lines = Iterator[str]


def row(widths: Sequence[int], cells: Sequence[object]) -> str:
    """Cells side by side, those beyond the widths as they are; None is a dash."""
    texts = ["-" if cell is None else str(cell) for cell in cells]
    padded = [f"{text:<{width}}" for text, width in zip(texts, widths, strict=False)]
    return " ".join([*padded, *texts[len(widths) :]])


def table(widths: Sequence[int], titles: Sequence[str], rows: Iterable[Sequence[object]]) -> Lines:
    """Each line begins with a line's end, the last one ends with one, too."""
    for cells in (titles, *rows):
        yield "\n" + row(widths, cells)
    yield "\n"


def coordinator(group: GroupDescription, cluster: Cluster, gap: str = "  ") -> str | None:
    """``host:port  (id)``; None while it is not known."""
    node = cluster.nodes.get(group.coordinator)
    return f"{node.host}:{node.port}{gap}({node.id})" if node else None


def assignment(places: Iterable[Partition]) -> str | None:
    """``orders:0,1;pay:3``, None where there is nothing."""
    by_topic: dict[str, list[int]] = {}
    for topic, index in places:
        by_topic.setdefault(topic, []).append(index)
    parts = (f"{topic}:{','.join(map(str, sorted(n)))}" for topic, n in by_topic.items())
    return ";".join(sorted(parts)) or None


def offsets(name: str, rows: Sequence[Standing], epochs: dict[Partition, int] | None) -> Lines:
    """``epochs``: leader epochs of commits, for ``--verbose``."""
    readers = [r.reader for r in rows if r.reader]
    widths = [max(15, len(name)), max(15, *(len(r.topic) for r in rows)), 10, 15, 15, 15]
    titles = ["GROUP", "TOPIC", "PARTITION", "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG",
              "CONSUMER-ID", "HOST", "CLIENT-ID"]  # fmt: skip
    if epochs is not None:
        widths.append(15)
        titles.insert(3, "LEADER-EPOCH")
    widths += [max([15, *(len(m.id) for m in readers)]), max([15, *(len(m.host) for m in readers)])]
    lines = []
    for topic, index, current, end, lag, m in rows:
        who = (m.id, m.host, m.client_id) if m else (None, None, None)
        epoch = () if epochs is None else (epochs.get((topic, index)),)
        lines.append((name, topic, index, *epoch, current, end, lag, *who))
    yield from table(widths, titles, lines)


def state(group: GroupDescription, cluster: Cluster, *, verbose: bool) -> Lines:
    """Coordinator, assignor, state, with ``verbose`` epochs."""
    where = coordinator(group, cluster)
    widths = [max(15, len(group.id)), max(25, len(where or "")), 20, 20]
    titles = ["GROUP", "COORDINATOR (ID)", "ASSIGNMENT-STRATEGY", "STATE", "#MEMBERS"]
    cells: list[object] = [
        group.id, where, group.assignor or None, group.state, len(group.members),
    ]  # fmt: skip
    if verbose:
        widths += [15, 25]
        titles[4:4] = ["GROUP-EPOCH", "TARGET-ASSIGNMENT-EPOCH"]
        cells[4:4] = [group.epoch, group.target_epoch]
    yield from table(widths, titles, [cells])


def members(group: GroupDescription, *, verbose: bool) -> Lines:
    """Who reads how much, with ``verbose`` what, and what each is moving to."""
    found = sorted(group.members, key=lambda m: len(m.assigned), reverse=True)
    static = any(m.instance_id for m in found)
    modern = group.type == "Consumer"
    mixed = verbose and modern and len({m.is_classic for m in found}) > 1
    columns: list[tuple[str, int, list[object]]] = [
        ("GROUP", 15, [group.id for _ in found]),
        ("CONSUMER-ID", 15, [m.id for m in found]),
    ]
    if static:
        columns.append(("GROUP-INSTANCE-ID", 17, [m.instance_id or "" for m in found]))
    columns += [
        ("HOST", 15, [m.host for m in found]),
        ("CLIENT-ID", 15, [m.client_id for m in found]),
        ("#PARTITIONS", 15, [len(m.assigned) for m in found]),
    ]
    if verbose:
        columns += [
            ("CURRENT-EPOCH", 15, [m.epoch for m in found]),
            ("CURRENT-ASSIGNMENT", 20, [assignment(m.assigned) for m in found]),
            ("TARGET-EPOCH", 15, [group.target_epoch for _ in found]),
            ("TARGET-ASSIGNMENT", 20, [assignment(_target(m)) for m in found]),
        ]
    last = ("UPGRADED", [str(not m.is_classic).lower() for m in found]) if mixed else None
    lines = []
    for n in range(-1, len(found)):
        cells = []
        for title, least, values in columns:
            texts = [title, *("-" if v is None else str(v) for v in values)]
            width = max(least, *map(len, texts[1:])) if values else least
            cells.append(f"{texts[n + 1]:<{width}}")
        line = " ".join(cells) + ("" if verbose else " ")
        if last is not None:
            line += f" {last[0] if n < 0 else last[1][n]}"
        lines.append(line)
    yield "\n" + "".join(f"{line}\n" for line in lines)


def _target(member: MemberDescription) -> tuple[Partition, ...]:
    return member.target or ()
