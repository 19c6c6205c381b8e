"""A power cut leaves the directories of partitions as they were last told to be."""

from __future__ import annotations

from pykafka_ops.broker.storage.log_home import NAMES_MS
from tests.support.memory.storage_site import TOPIC_ID, Site, append


def cut_power(site: Site) -> None:
    site.kill()
    site.memory.lose_names()


def settle(site: Site) -> None:
    """Let names gather as long as they may, and the background finish."""
    site.pass_time(NAMES_MS, lambda: not site.memory.unsynced_names("/a"))


def test_a_partition_that_was_made_is_there_after_a_power_cut() -> None:
    site = Site(dirs=("/a",))
    logs = site.start()
    for n in range(5):
        logs.create("t", n, TOPIC_ID)
    settle(site)
    cut_power(site)
    assert len(site.start().partitions()) == 5
    site.kill()


def test_what_was_flushed_has_a_name() -> None:
    site = Site(dirs=("/a",))
    log = site.start().create("t", 0, TOPIC_ID)
    append(log, b"x")
    log.flush()
    cut_power(site)
    assert site.start().partitions() == [("t", 0)]
    site.kill()


def test_a_partition_that_was_deleted_stays_deleted_after_a_power_cut() -> None:
    site = Site(dirs=("/a",))
    logs = site.start()
    logs.create("t", 0, TOPIC_ID)
    settle(site)
    logs.delete("t", 0)
    settle(site)
    cut_power(site)
    assert site.start().partitions() == []
    site.kill()


def test_the_names_of_many_partitions_are_synced_together() -> None:
    site = Site(dirs=("/a",))
    logs = site.start()
    for n in range(100):
        site.pass_time(NAMES_MS // 100 - 1)
        logs.create("t", n, TOPIC_ID)
    assert len(site.memory.unsynced_names("/a")) == 100
    settle(site)
    assert site.memory.unsynced_names("/a") == []
    site.kill()
