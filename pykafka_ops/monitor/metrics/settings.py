"""``[metrics]``: under which names metrics appear, how finely, and of what. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pykafka_ops.analysis.near import did_you_mean
from pykafka_ops.errors import UsageError
from pykafka_ops.monitor.alerts.settings.checked import CheckedTable

KAFKA_EXPORTER, KMINION, BURROW = "kafka_exporter", "kminion", "burrow"
DIALECTS: Final = (KAFKA_EXPORTER, KMINION, BURROW)
"""Whose names there are."""
PARTITION, TOPIC = "partition", "topic"
_KEYS: Final = ("dialects", "granularity", "groups", "groups-deny", "topics", "topics-deny")


@dataclass(frozen=True, slots=True)
class MetricsSettings:
    """What appears. ``by_partition``: a sample for each partition where there is one, too. Names
    have to match ``groups`` and ``topics`` (None: all do) and none of the others."""

    dialects: tuple[str, ...] = (KAFKA_EXPORTER,)
    by_partition: bool = True
    groups: re.Pattern[str] | None = None
    groups_deny: re.Pattern[str] | None = None
    topics: re.Pattern[str] | None = None
    topics_deny: re.Pattern[str] | None = None

    def has_group(self, name: str) -> bool:
        """Whether the group is shown."""
        return _fits(name, self.groups, self.groups_deny)

    def has_topic(self, name: str) -> bool:
        """Whether the topic is shown."""
        return _fits(name, self.topics, self.topics_deny)


def _fits(name: str, wanted: re.Pattern[str] | None, unwanted: re.Pattern[str] | None) -> bool:
    if wanted is not None and wanted.fullmatch(name) is None:
        return False
    return unwanted is None or unwanted.fullmatch(name) is None


def metrics_settings(document: Mapping[str, object], where: str) -> MetricsSettings:
    """The settings in a configuration; ``where`` is its name, for complaints. UsageError."""
    values = document.get("metrics", {})
    place = f"{where}: [metrics]"
    if not isinstance(values, dict):
        raise UsageError(f"{place}: write it as a [metrics] table")
    table = CheckedTable(place, values)
    table.only(_KEYS)
    dialects = table.texts("dialects")
    for name in dialects or ():
        if name not in DIALECTS:
            hint = did_you_mean(name, DIALECTS)
            known = ", ".join(DIALECTS)
            raise table.wrong("dialects", f"{name!r}: choose from {known}{hint}")
    return MetricsSettings(
        dialects=MetricsSettings().dialects if dialects is None else dialects,
        by_partition=table.choice("granularity", (PARTITION, TOPIC), PARTITION) == PARTITION,
        groups=table.pattern("groups"),
        groups_deny=table.pattern("groups-deny"),
        topics=table.pattern("topics"),
        topics_deny=table.pattern("topics-deny"),
    )
