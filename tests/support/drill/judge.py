"""Whether every link of a drill copied what it should: by reading both sides, and by ``pko audit``,
which is then itself tested with planted faults."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.support.drill.audits import DrillAudit, audit_complaints, bucket_over
from tests.support.drill.excused import hanging, skipped, without
from tests.support.drill.ledger import amiss_at_source
from tests.support.drill.links import DrillMirror
from tests.support.drill.planted import PlantedCopy, SourceRecord, plant, produce_copy, told_by
from tests.support.drill.reading import (
    SeenRecord,
    compacted_differences,
    differences,
    disorder,
    read_topics,
    suffix_differences,
)
from tests.support.drill.site_load import ANEW, TRIMMED, SiteLoad
from tests.support.drill.sites import OURS, PARTITIONS, DrillSite, admin, make
from tests.support.mirror.pair import read

Logs = list[list[SeenRecord]]
FAULTS = 40
"""That are planted in each partition."""
MOST_SHOWN = "1000"
LATE = "1m"
"""How much later than its time a record may come where a broker was killed meanwhile: so near to
what DeleteRecords took nothing is judged."""


class DrillJudge:
    """Reads the clusters at rest. ``amiss`` is what should not be; ``compared`` counts the records
    of targets that were read, ``audited`` partitions that audit called equal, ``found`` planted
    faults that it told, by kind."""

    def __init__(
        self, sites: Mapping[str, DrillSite], loads: Mapping[str, SiteLoad], directory: Path
    ) -> None:
        self.sites, self.loads = sites, loads
        self.audit = DrillAudit(directory)
        self.amiss: list[str] = []
        self.compared = self.audited = 0
        self.found = Counter[str]()
        self.hung: set[tuple[str, str, int]] = set()
        """Partitions of Apache Kafka that nobody can read to their end: alias, topic, number."""
        self._logs: dict[str, dict[str, Logs]] = {}

    def read(self, ways: Iterable[tuple[str, str]]) -> None:
        """Everything that a consumer gets of sources and targets."""
        topics: dict[str, list[str]] = {
            alias: [*load.ledgers] for alias, load in self.loads.items()
        }
        for a, b in ways:
            topics.setdefault(b, []).extend(f"{a}.{topic}" for topic in self.loads[a].ledgers)
        for alias, names in topics.items():
            if alias != OURS:
                found = hanging(self.sites[alias].bootstrap)
                self.hung.update((alias, *place) for place in found)
            self._logs[alias] = read_topics(self.sites[alias].bootstrap, names)

    # --- by reading both sides -------------------------------------------------------------------

    def judge_sources(self) -> None:
        """Whether the clusters themselves kept what they acknowledged.

        librdkafka raises its epoch where Apache Kafka, killed, leaves it in doubt, and sends again
        what is there already; and it says "aborted" of records that Apache Kafka then commits with
        the next transaction. So of Apache Kafka's it is only asked whether everything is there.
        """
        for alias, load in self.loads.items():
            for topic, ledger in load.ledgers.items():
                logs, strict = self._logs[alias][topic], alias == OURS
                once = ledger.once and strict
                lines = [line for log in logs if once for line in disorder(log)]
                if not ledger.compacted and topic not in (TRIMMED, ANEW):
                    found = [r.id for log in logs for r in log]
                    lines += amiss_at_source(ledger, found, strict=strict)
                self.amiss += [f"{alias}: {topic}: {line}" for line in lines]

    def judge_link(self, mirror: DrillMirror, a: str, b: str) -> None:
        """Every record of both sides."""
        once, deletes = a == OURS, mirror.deletes
        gone = {} if once else skipped(mirror.log_text())
        for topic, ledger in self.loads[a].ledgers.items():
            here, there = self._logs[a][topic], self._logs[b][f"{a}.{topic}"]
            for n, (one, two) in enumerate(zip(here, there, strict=True)):
                if (b, f"{a}.{topic}", n) in self.hung:
                    continue
                if topic == TRIMMED:
                    one = without(one, gone.get((f"{a}->{b}", topic, n), ()))
                if ledger.compacted:
                    lines = compacted_differences(one, two, once=once)
                elif topic == TRIMMED or (topic == ANEW and deletes == "keep"):
                    lines = suffix_differences(one, two, ledger.sent, once=once)
                else:
                    lines = differences(one, two)
                self.compared += len(two)
                self.amiss += [f"{a}->{b}: {topic}-{n}: {line}" for line in lines]

    # --- by pko audit ----------------------------------------------------------------------------

    def count(self) -> None:
        """``pko audit collect`` of each cluster."""
        bucket_over()
        for alias, site in self.sites.items():
            self.audit.collect(alias, site.bootstrap)

    def audit_link(self, mirror: DrillMirror, a: str, b: str) -> None:
        """``pko audit compare``: whether it says what was read."""
        load = self.loads[a]
        usual = [topic for topic in load.ledgers if topic not in (ANEW, TRIMMED)]
        since = str(load.lives.since) if mirror.deletes == "keep" else "1"
        rows = self._rows(a, b, usual)
        rows += self._rows(a, b, [ANEW], "--since", since)
        rows += self._rows(a, b, [TRIMMED], "--grace", LATE)
        for row in rows:
            topic, number = row["topic"], row["partition"]
            if (b, f"{a}.{topic}", number) in self.hung:
                continue
            compacted = load.ledgers[topic].compacted
            exact = not compacted and topic != TRIMMED
            counted = len(self._logs[a][topic][number]) if exact else None
            lines = audit_complaints(row, counted=counted, partial=topic == TRIMMED)
            self.audited += not lines
            self.amiss += [f"{a}->{b}: audit: {line}" for line in lines]
        if len(rows) != len(load.ledgers) * PARTITIONS:
            self.amiss.append(f"{a}->{b}: audit compares {len(rows)} partitions")

    def _rows(self, a: str, b: str, topics: Sequence[str], *words: str) -> list[dict[str, Any]]:
        chosen = [word for topic in topics for word in ("--topic", topic)]
        return self.audit.compare(a, b, "--prefix", f"{a}.", *chosen, *words)[1]

    # --- audit itself ----------------------------------------------------------------------------

    def test_audit(self, a: str, b: str, topic: str, seed: int) -> None:
        """Copy a topic with planted faults; audit must tell each, and nothing else."""
        chance = random.Random(seed)
        name = f"planted.{a}.{topic}"
        make(admin(self.sites[b].bootstrap), name, {})
        copies = [self._planted(a, b, topic, n, chance) for n in range(PARTITIONS)]
        tier = f"planted-{a}-{b}"
        self.audit.collect(tier, self.sites[b].bootstrap, "--topic", name)
        words = ("--topic", topic, "--prefix", f"planted.{a}.", "--identify-by", "header:id")
        code, rows = self.audit.compare(a, tier, *words, "-n", MOST_SHOWN)
        if code != 4 or len(rows) != PARTITIONS:
            self.amiss.append(f"{a}->{b}: audit of planted faults: exit code {code}: {rows}")
        for row, copy in zip(rows, copies, strict=False):
            told = told_by(row)
            self.found.update(kind for kind, *_ in (told & copy.expected).elements())
            if told != copy.expected:
                self.amiss.append(
                    f"{a}->{b}: {name}-{row['partition']}: planted but not told: "
                    f"{dict(copy.expected - told)}, told but not planted: "
                    f"{dict(told - copy.expected)}"
                )

    def _planted(self, a: str, b: str, topic: str, n: int, chance: random.Random) -> PlantedCopy:
        source = [SourceRecord.of(m) for m in read(self.sites[a].bootstrap, topic, n)]
        copy = plant(source, FAULTS, chance)
        produce_copy(self.sites[b].bootstrap, f"planted.{a}.{topic}", n, copy)
        kinds = Counter(kind for kind, *_ in copy.expected)
        if len(kinds) < 3:
            self.amiss.append(f"{a}: {topic}-{n}: {len(source)} records are too few to plant in")
        return copy
