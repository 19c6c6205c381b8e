"""What is done to all logs as time passes."""

from __future__ import annotations

from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.disk.checkpoint import parse_offsets
from pykafka_ops.disk.names import RECOVERY_POINT_CHECKPOINT
from tests.support.memory.logs import NOW, batch_of
from tests.support.memory.storage_site import Site, append, text


def test_checkpoints_are_written_as_time_passes_and_only_if_they_changed(site: Site) -> None:
    site.paths = ("/a",)
    logs = site.start()
    log = logs.create("t", 0)
    append(log, b"a")
    log.raise_high_watermark(1)

    def written(name: str) -> bool:
        return site.files.exists(f"/a/{name}")

    site.pass_time(4_999)
    assert not written("replication-offset-checkpoint")
    site.pass_time(1, lambda: written("replication-offset-checkpoint"))
    log.flush()
    name = "recovery-point-offset-checkpoint"
    site.pass_time(55_000, lambda: written(name) and "t 0 1" in text(site, f"/a/{name}"))
    site.memory.inodes["/a/replication-offset-checkpoint"].modified_ms = 7
    site.pass_time(5_000)
    assert site.files.info("/a/replication-offset-checkpoint").modified_ms == 7


def test_topics_with_flush_ms_are_flushed_in_the_background(site: Site) -> None:
    site.config = TopicConfig(flush_ms=2_000)
    logs = site.start()
    log = logs.create("t", 0)
    append(log, b"a")
    site.pass_time(1_000)
    assert log.durability.recovery_point == 0
    site.pass_time(1_000, lambda: log.durability.recovery_point == 1)


def test_idle_producers_are_forgotten(site: Site) -> None:
    logs = site.start()
    log = logs.create("t", 0)
    data = batch_of(b"a", producer_id=1, producer_epoch=0, base_sequence=0)
    log.append_as_leader(data, leader_epoch=0, now=NOW)
    site.pass_time(600_000)
    assert len(log.producers) == 1
    site.pass_time(86_400_000)
    assert len(log.producers) == 0


def test_a_clock_that_is_set_back_delays_nothing_that_waits(site: Site) -> None:
    site.config = TopicConfig(file_delete_delay_ms=1000)
    logs = site.start()
    log = logs.create("t", 0, directory="/a")
    append(log, b"a")
    log.raise_high_watermark(1)
    logs.create("u", 0, directory="/a")
    logs.settings.clock = lambda: NOW - 3_600_000
    logs.delete("u", 0)
    site.pass_time(1000, lambda: site.files.directories("/a") == ["t-0"])
    name = "/a/replication-offset-checkpoint"
    site.pass_time(5000, lambda: site.files.exists(name))
    assert parse_offsets(text(site, name), name)["t", 0] == 1


def test_a_new_log_is_known_for_ours_soon(site: Site) -> None:
    site.paths = ("/a",)
    logs = site.start()
    logs.create("t", 0)
    logs.create("t", 1)
    site.pass_time(999)
    assert not site.files.exists(f"/a/{RECOVERY_POINT_CHECKPOINT}")
    site.pass_time(1, lambda: site.files.exists(f"/a/{RECOVERY_POINT_CHECKPOINT}"))
    assert parse_offsets(
        text(site, f"/a/{RECOVERY_POINT_CHECKPOINT}"), RECOVERY_POINT_CHECKPOINT
    ) == {("t", 0): 0, ("t", 1): 0}
