"""The short form of ``scripts/mirror_drill``: our broker and Apache Kafka 4.3.1 mirrored into each
other under load while mirrors and brokers are killed; both sides are equal, and audit proves it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.drill.drill import DrillTerms, MirrorDrill
from tests.support.drill.links import DrillPair
from tests.support.drill.planted import LOST, MOVED
from tests.support.drill.site_load import TOPICS
from tests.support.drill.sites import APACHE_4, OURS, PARTITIONS

pytestmark = [pytest.mark.java, pytest.mark.slow]
KILLED_FIRST = {"ours-apache4.toml", OURS, APACHE_4}
"""With the seed."""
SEED = 5


def test_mirrors_of_ours_and_apache_kafka_are_equal_though_all_were_killed(
    tmp_path: Path,
) -> None:
    terms = DrillTerms(
        [DrillPair(OURS, APACHE_4, both=True)], seconds=12, seed=SEED, kill_every=2, processes=1,
        life_seconds=5, least_kills=len(KILLED_FIRST),
    )  # fmt: skip
    drill = MirrorDrill(terms, tmp_path)
    try:
        assert drill.run() == []
    finally:
        drill.close()
    assert drill.kills.keys() >= KILLED_FIRST
    assert all(load.lives.lives > 1 for load in drill.loads.values())
    assert drill.judge.audited == 2 * len(TOPICS) * PARTITIONS
    assert drill.judge.found[LOST] and drill.judge.found[MOVED]
