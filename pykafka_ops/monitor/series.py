"""The numbers of a view that the history keeps: totals of groups, topics, brokers and the cluster,
and the lag of partitions that are behind."""

from __future__ import annotations

from typing import Final

from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.history.model import Number, SeriesKey
from pykafka_ops.monitor.wording.load import load
from pykafka_ops.monitor.wording.moves import move_progress, moves_left

GROUP_FACTS: Final = (
    "lag", "max_lag", "lag_seconds", "rate_in", "rate_out", "catch_up_seconds", "lead",
)  # fmt: skip
TOPIC_FACTS: Final = ("rate_in", "bytes")
LINK_FACTS: Final = (
    "lag", "lag_bytes", "lag_seconds", "copied_per_second", "added_per_second", "processes",
)  # fmt: skip
BROKER_FACTS: Final = ("bytes", "free_bytes", "leaders", "replicas", "lagging")


def values(view: ClusterView) -> dict[SeriesKey, Number]:
    """Every known number, by series; unknown ones are left out."""
    found: dict[SeriesKey, object] = {}
    for name, fact in (view.facts or {}).items():
        found[SeriesKey("cluster", view.name, name)] = fact
    rates = load(view)
    found[SeriesKey("cluster", view.name, "rate_in")] = rates.records
    found[SeriesKey("cluster", view.name, "bytes_in")] = rates.bytes
    under_way = moves_left(view, move_progress(view))
    if under_way is not None:
        found[SeriesKey("cluster", view.name, "move_bytes_left")] = under_way.left
    for broker in view.brokers:
        for name in BROKER_FACTS:
            found[SeriesKey("broker", str(broker["id"]), name)] = broker[name]
    for name, topic in (view.topics or {}).items():
        found[SeriesKey("topic", name, "rate_in")] = topic.rate_in
        found[SeriesKey("topic", name, "bytes")] = topic.bytes
        if min(topic.ends, default=-1) >= 0:
            found[SeriesKey("topic", name, "end_offsets")] = sum(topic.ends)
    for name, group in (view.groups or {}).items():
        for fact_name in GROUP_FACTS:
            found[SeriesKey("group", name, fact_name)] = getattr(group.row, fact_name)
        found[SeriesKey("group", name, "members")] = group.member_count
        found[SeriesKey("group", name, "loss_in_seconds")] = group.loss_in_seconds
    found |= {
        SeriesKey("mirror", link.name, fact): getattr(link, fact)
        for link in view.links
        for fact in LINK_FACTS
    }
    return {key: value for key, value in found.items() if isinstance(value, int | float)}
