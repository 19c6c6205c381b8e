"""The story of the demo: topics with days of records, groups that keep up and groups in trouble.

Times in ms before the moment the demo is made, unless said otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

MINUTE: Final = 60_000
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR
SEED: Final = 20_251_122

Keys = Literal["even", "zipf", "none", "turns"]
"""Many keys alike; few that make most records; no keys; numbers that take partitions in turn."""


@dataclass(frozen=True, slots=True)
class TopicPlan:
    """A topic: ``records`` over the last ``days``, values of about ``size`` bytes."""

    name: str
    partitions: int
    records: int
    days: float
    size: int
    codec: str
    keys: Keys
    configs: Mapping[str, str] = field(default_factory=dict)


Story = Literal["keeps-up", "lags", "stalls", "rewinds", "stops", "crawls"]


@dataclass(frozen=True, slots=True)
class GroupPlan:
    """A group, the topic it reads, and how that went; see ``commits.position``."""

    name: str
    topic: str
    story: Story


TOPICS: Final = (
    TopicPlan("payments", 6, 240_000, 2.98, 200, "lz4", "even",
              {"retention.ms": str(3 * DAY), "segment.ms": str(3 * HOUR)}),
    TopicPlan("clicks", 12, 360_000, 5, 130, "zstd", "zipf", {"segment.ms": str(6 * HOUR)}),
    TopicPlan("orders", 4, 280_000, 4, 160, "snappy", "turns", {"segment.ms": str(6 * HOUR)}),
    TopicPlan("telemetry", 8, 120_000, 2, 260, "none", "none", {"segment.ms": str(6 * HOUR)}),
    TopicPlan("profiles", 3, 60_000, 9, 220, "none", "even",
              {"cleanup.policy": "compact", "segment.ms": str(DAY)}),
    TopicPlan("audit", 2, 40_000, 6, 300, "gzip", "none",
              # Made shorter a moment ago: what is older waits for the next check of retention.
              {"retention.ms": str(2 * DAY), "segment.ms": str(6 * HOUR)}),
)  # fmt: skip

GROUPS: Final = (
    GroupPlan("fraud-check", "payments", "keeps-up"),
    GroupPlan("ledger", "payments", "keeps-up"),
    GroupPlan("invoicing", "payments", "crawls"),
    GroupPlan("dashboards", "clicks", "keeps-up"),
    GroupPlan("recommender", "clicks", "stalls"),
    GroupPlan("search-index", "clicks", "rewinds"),
    GroupPlan("checkout", "orders", "keeps-up"),
    GroupPlan("warehouse", "orders", "lags"),
    GroupPlan("nightly-report", "orders", "stops"),
    GroupPlan("profile-cache", "profiles", "keeps-up"),
    GroupPlan("siem", "audit", "keeps-up"),
)

BROKER: Final = {
    # What is there is shown as it is: nothing is deleted or cleaned while the reports run.
    "log.initial.task.delay.ms": str(DAY),
    "log.cleaner.enable": "false",
    "offsets.topic.num.partitions": "8",
    "num.partitions": "3",
}

STALLED: Final = 5 * HOUR
"""How long ago the recommender got stuck on the partition with most records."""
REWOUND: Final = 6 * MINUTE
"""How long ago search-index was set back, by two days."""
STOPPED: Final = 26 * HOUR
"""How long ago nightly-report ran last."""
CRAWL: Final = 0.05
"""Of the time that passes: how fast invoicing gets through what was written."""


def commit_times(days: float, now: int) -> list[int]:
    """When a group committed: each ten minutes for ``days``, each minute of the last half hour."""
    begin = now - int(days * DAY)
    coarse = range(begin, now - 30 * MINUTE, 10 * MINUTE)
    return [*coarse, *range(now - 30 * MINUTE, now + 1, MINUTE)]
