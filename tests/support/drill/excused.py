"""What Apache Kafka does when it is killed, which no mirror can make good: seen in its own state.

* A transaction that hangs: its coordinator, started again, completes it without the marker of one
  of its partitions, whose readers of committed records then stand still for ever.
* Records that DeleteRecords took come back: where the log begins is written down once a minute.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from tests.support.drill.reading import SeenRecord
from tests.support.process.console import pko

_DELETED = re.compile(r"(\S+->\S+): (\S+)-(\d+): the source deleted offsets (\d+) to (\d+)")
Skipped = dict[tuple[str, str, int], list[tuple[int, int]]]
"""By link, topic and partition of the source: first and last offset of what was not there when it
was to be copied."""


def hanging(bootstrap: str) -> set[tuple[str, int]]:
    """Partitions with a transaction that is open and unknown to its coordinator."""
    words = ("transactions", "find-hanging", "--max-transaction-timeout", "1m")
    done = pko(*words, "-b", bootstrap, "-o", "json")
    assert done.returncode == 0, done.stderr
    return {(row["topic"], row["partition"]) for row in json.loads(done.stdout)["items"]}


def skipped(log: str) -> Skipped:
    """What a mirror's log says the source had deleted before it was copied."""
    found: Skipped = {}
    for way, topic, number, first, last in _DELETED.findall(log):
        found.setdefault((way, topic, int(number)), []).append((int(first), int(last)))
    return found


def without(records: Sequence[SeenRecord], ranges: Sequence[tuple[int, int]]) -> list[SeenRecord]:
    """The records whose offset is in none of the ranges."""
    return [r for r in records if not any(first <= r.offset <= last for first, last in ranges)]
