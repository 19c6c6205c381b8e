"""The columns of the tables: fields of ``/api/v1`` as people read them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pykafka_ops.analysis.commits.burrow import OK, UNKNOWN
from pykafka_ops.monitor.pages.frame import PageColumn, address
from pykafka_ops.monitor.wording.text import moment, plain, rate, size, span, whole
from pykafka_ops.page.units import percent

Row = Mapping[str, Any]


def _tasks(value: object) -> str:
    found = value if isinstance(value, list) else []
    return plain([_task(task) for task in found])


def _task(task: Mapping[str, Any]) -> str:
    name = f"{task['subtopology']}_{task['partition']}"
    return name if task["role"] == "active" else f"{task['role']} {name}"


def status_tone(value: object) -> str:
    """That of a verdict on a group or a partition."""
    if value == OK:
        return "good"
    return "warn" if value in (UNKNOWN, "WARN", None) else "bad"


def _count_tone(value: object) -> str:
    return "bad" if value else ""


def _up_tone(value: object) -> str:
    return "good" if value == "up" else "bad"


def broker_columns(cluster: str) -> tuple[PageColumn, ...]:
    """Of brokers."""
    first = PageColumn("id", "Broker", whole, link=_link(cluster, "brokers", "id"))
    return (first, *BROKERS[1:])


def brief_brokers(cluster: str) -> tuple[PageColumn, ...]:
    """The same where there is little room."""
    left_out = ("rack", "controller", "imbalance_percent")
    return tuple(c for c in broker_columns(cluster) if c.key not in left_out)


def percent_text(value: object) -> str:
    """``12.5 %``."""
    return percent(value) if isinstance(value, int | float) else plain(None)


def _worst(value: object) -> str:
    if not isinstance(value, dict):
        return plain(None)
    reader = f" read by {value['client_id']}" if value["client_id"] else ", read by nobody"
    return plain(f"{value['topic']}-{value['partition']}{reader}")


def _link(cluster: str, kind: str, field: str) -> Callable[[Row], str]:
    return lambda row: address(cluster, kind, str(row[field]))


def groups(cluster: str) -> tuple[PageColumn, ...]:
    """Of groups."""
    return (
        PageColumn("group", "Group", link=_link(cluster, "groups", "group")),
        PageColumn("status", "Verdict", tone=status_tone, status=True),
        PageColumn("lag", "Lag", whole, True),
        PageColumn("lag_seconds", "Behind", span, True),
        PageColumn("catch_up_seconds", "Caught up in", span, True),
        PageColumn("loss_in_seconds", "Lost in", span, True),
        PageColumn("rate_in", "In/s", rate, True),
        PageColumn("rate_out", "Out/s", rate, True),
        PageColumn("members", "Members", whole, True),
        PageColumn("state", "State"),
        PageColumn("type", "Type"),
    )


def suffering(cluster: str) -> tuple[PageColumn, ...]:
    """Of groups that deserve a look: with what is worst."""
    return (*groups(cluster)[:7], PageColumn("worst", "Worst partition", _worst))


PARTITIONS = (
    PageColumn("topic", "Topic"),
    PageColumn("partition", "Partition", whole, True),
    PageColumn("status", "Verdict", tone=status_tone, status=True),
    PageColumn("lag", "Lag", whole, True),
    PageColumn("lag_seconds", "Behind", span, True),
    PageColumn("current_offset", "Committed", whole, True),
    PageColumn("log_end_offset", "End", whole, True),
    PageColumn("lead", "Lead", whole, True),
    PageColumn("last_commit", "Last commit", moment, sorts=False),
    PageColumn("client_id", "Read by"),
)
"""Of partitions of a group."""
SHARED = tuple(
    column._replace(title="Start") if column.key == "current_offset" else column
    for column in PARTITIONS
    if column.key != "last_commit"
)
"""Of partitions of a share group, which commits nothing."""
MEMBERS = (
    PageColumn("client_id", "Client"),
    PageColumn("host", "Host"),
    PageColumn("id", "Member"),
    PageColumn("assigned", "Partitions", lambda v: whole(len(v)) if isinstance(v, tuple) else "-",
               True),
)  # fmt: skip
STREAMING = (
    *MEMBERS,
    PageColumn("tasks", "Tasks", _tasks),
    PageColumn("process", "Process"),
)
"""Of members of a streams group."""
TOPOLOGY = (
    PageColumn("id", "Subtopology"),
    PageColumn("sources", "Reads"),
    PageColumn("repartitions", "Repartitioned"),
    PageColumn("changelogs", "Keeps its state in"),
)
QUORUM = (
    PageColumn("id", "Node", whole, True),
    PageColumn("role", "Role"),
    PageColumn("end", "End", whole, True),
    PageColumn("lag", "Lag", whole, True),
    PageColumn("behind_seconds", "Behind", span, True),
    PageColumn("addresses", "Addresses"),
)
"""Of the replicas of the metadata log."""


def topics(cluster: str) -> tuple[PageColumn, ...]:
    """Of topics."""
    return (
        PageColumn("topic", "Topic", link=_link(cluster, "topics", "topic")),
        PageColumn("partitions", "Partitions", whole, True),
        PageColumn("replicas", "Replicas", whole, True),
        PageColumn("under_replicated", "Under-replicated", whole, True, tone=_count_tone),
        PageColumn("offline", "Offline", whole, True, tone=_count_tone),
        PageColumn("records", "Offsets", whole, True),
        PageColumn("rate_in", "In/s", rate, True),
        PageColumn("bytes", "Bytes", size, True),
    )


TOPIC_PARTITIONS = (
    PageColumn("number", "Partition", whole, True),
    PageColumn("leader", "Leader", lambda v: "none" if v == -1 else whole(v), True,
               tone=lambda v: "bad" if v == -1 else ""),
    PageColumn("replicas", "Replicas"),
    PageColumn("isr", "ISR"),
    PageColumn("start", "Begin", whole, True),
    PageColumn("end", "End", whole, True),
    PageColumn("rate_in", "In/s", rate, True),
    PageColumn("bytes", "Bytes", size, True),
)  # fmt: skip
BROKERS = (
    PageColumn("id", "Broker", whole, True),
    PageColumn("state", "State", tone=_up_tone, status=True),
    PageColumn("address", "Address"),
    PageColumn("rack", "Rack"),
    PageColumn("controller", "Controller"),
    PageColumn("leaders", "Leaders", whole, True),
    PageColumn("replicas", "Replicas", whole, True),
    PageColumn("imbalance_percent", "Led elsewhere", percent_text, True),
    PageColumn("lagging", "Lagging", whole, True, tone=_count_tone),
    PageColumn("bytes", "Bytes", size, True),
    PageColumn("free_bytes", "Free", size, True),
)
MOVES = (
    PageColumn("topic", "Topic"),
    PageColumn("partition", "Partition", whole, True),
    PageColumn("replicas", "Replicas"),
    PageColumn("adding", "Adding"),
    PageColumn("removing", "Removing"),
)
