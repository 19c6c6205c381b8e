"""Log directories of a cluster whose figures follow from a rule: one tiny segment for each replica,
written in a moment.

    .venv/bin/python -m tests.support.by_rule.tree DIR BROKERS PARTITIONS
"""

from __future__ import annotations

import sys
from pathlib import Path

from pykafka_ops.disk.build import build_batch
from pykafka_ops.disk.names import META_PROPERTIES, partition_dir, segment_file
from pykafka_ops.disk.record import Record
from tests.support.by_rule.rules import ClusterRules, topic_name

_MOST: int = 5
"""Records of a log, at most."""


def records_of(rules: ClusterRules, n: int) -> int:
    """Records in the log of partition ``n`` of all."""
    return 1 + int(rules.mix(n, 6)) % _MOST


def batch_of(rules: ClusterRules, n: int) -> bytes:
    """The one batch of a log; its records are a second apart, the last one is of ``now``."""
    count = records_of(rules, n)
    first = int(rules.start(n))
    records = [
        Record(first + i, rules.now - 1_000 * (count - 1 - i), b"key-%d" % (n % 7), b"value", ())
        for i in range(count)
    ]
    return bytes(build_batch(records, base_offset=first))


def write_tree(folder: Path, rules: ClusterRules) -> list[Path]:
    """A directory for each broker."""
    places = [folder / f"broker-{broker}" for broker in range(rules.brokers)]
    for broker, place in enumerate(places):
        place.mkdir(parents=True)
        (place / META_PROPERTIES).write_text(f"version=0\nbroker.id={broker}\n")
    for n in range(rules.partitions):
        name = partition_dir(topic_name(n // rules.per_topic), n % rules.per_topic)
        data, file = batch_of(rules, n), segment_file(int(rules.start(n)))
        for copy in range(rules.copies()):
            log = places[int(rules.broker(n, copy))] / name
            log.mkdir()
            (log / file).write_bytes(data)
    return places


if __name__ == "__main__":
    where, brokers, partitions = sys.argv[1:]
    made = ClusterRules(1_800_000_000_000, int(brokers), int(partitions))
    write_tree(Path(where), made)
