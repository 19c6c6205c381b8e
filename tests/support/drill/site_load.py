"""Everything that happens at a cluster of a drill, by topic."""

from __future__ import annotations

from typing import Any

from tests.support.drill.changes import DrillLives, DrillTrims
from tests.support.drill.ledger import TopicLedger
from tests.support.drill.load import END_SECONDS, DrillTransactions, DrillWriter
from tests.support.drill.sites import DrillSite, admin, make
from tests.support.soak.job import Job

PLAIN, STAMPED, IDEMPOTENT, MIXED = "plain", "stamped", "idempotent", "mixed"
TABLE, TRIMMED, ANEW = "table", "trimmed", "anew"
TOPICS = (PLAIN, STAMPED, IDEMPOTENT, MIXED, TABLE, TRIMMED, ANEW)
TOPIC_SETTINGS: dict[str, dict[str, str]] = {
    STAMPED: {"message.timestamp.type": "LogAppendTime"},
    TABLE: {
        "cleanup.policy": "compact",
        "segment.ms": "4000",
        "min.cleanable.dirty.ratio": "0.01",
        "delete.retention.ms": "120000",
    },
    TRIMMED: {"segment.ms": "10000"},
}
"""Tombstones stay longer than a mirror is ever behind: who reads a compacted topic later than
``delete.retention.ms`` does not hear of deletes."""


class SiteLoad:
    """The jobs at a cluster; ``ledgers`` by topic. ``seed`` is what they draw from, ``at_once``
    records go out together on average, ``life_seconds`` is how long a topic lives that is made
    anew."""

    def __init__(
        self, site: DrillSite, seed: int, *, at_once: int = 5, life_seconds: float = 30
    ) -> None:
        self.site = site
        self.ledgers = {
            topic: TopicLedger(
                topic, once=topic not in (PLAIN, STAMPED), compacted=topic == TABLE,
                jitter=topic != ANEW,
            )
            for topic in TOPICS
        }  # fmt: skip
        client = admin(site.bootstrap)
        for topic in TOPICS:
            make(client, topic, TOPIC_SETTINGS.get(topic, {}))
        where, led = site.bootstrap, self.ledgers
        self.lives = DrillLives(where, led[ANEW], seed, at_once=at_once, seconds=life_seconds)
        written = {PLAIN: False, STAMPED: False, IDEMPOTENT: True, MIXED: True, TABLE: True,
                   TRIMMED: True}  # fmt: skip
        self.jobs: list[Job] = [
            self.lives,
            DrillTrims(where, TRIMMED, seed),
            *(
                DrillWriter(where, led[topic], seed + n, at_once=at_once, idempotent=idempotent)
                for n, (topic, idempotent) in enumerate(written.items())
            ),
            *(
                DrillTransactions(where, site.alias, led[topic], seed, at_once=at_once)
                for topic in (MIXED, TABLE)
            ),
        ]

    def start(self) -> None:
        for job in self.jobs:
            job.start()

    def stop(self) -> list[str]:
        """Stop them all; their troubles."""
        for job in self.jobs:
            job.stopping.set()
        for job in self.jobs:
            job.stop(2 * END_SECONDS)
        return [
            f"{self.site.alias}: {job.name}: {text}" for job in self.jobs for text in job.troubles
        ]

    @property
    def sent(self) -> int:
        """Records."""
        return sum(len(ledger.sent) for ledger in self.ledgers.values())

    def figures(self) -> dict[str, Any]:
        """What was done, by job."""
        return {job.name: job.done for job in self.jobs}
