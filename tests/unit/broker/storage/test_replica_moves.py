"""Replicas go from one data directory to another and lose nothing, whatever happens."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from typing import Any

import pytest

from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.storage import replica_move, replica_moves
from pykafka_ops.broker.storage.log.log import Log
from pykafka_ops.broker.storage.replica_move import MARKER
from pykafka_ops.broker.storage.replica_moves import MOST_PREFERRED
from pykafka_ops.errors import KafkaError, StorageError
from pykafka_ops.wire.codes import ErrorCode
from tests.support.memory.logs import values
from tests.support.memory.mortal_files import MortalFiles, PowerCutError
from tests.support.memory.storage_site import TOPIC_ID, Site, append
from tests.support.waiting import wait_for

KEY = ("t", 0)
COUNT = 40


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few batches are copied at a time, and the last one in the swap."""
    monkeypatch.setattr(replica_move, "CHUNK", 300)
    monkeypatch.setattr(replica_moves, "LAST_BYTES", 150)


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site(MortalFiles())
    site.config = TopicConfig(file_delete_delay_ms=1000, segment_bytes=400)
    yield site
    site.memory.crash()
    site.kill()


def fill(site: Site, count: int = COUNT) -> Log:
    """A log of some segments in /a, all of it durable."""
    log = site.logs.create(*KEY, TOPIC_ID, site.config, directory="/a")
    for n in range(count):
        append(log, b"value %d" % n)
    log.flush()
    log.raise_high_watermark(log.log_end_offset)
    return log


def held(site: Site) -> list[tuple[int, bytes | None]]:
    log = site.logs.get(*KEY)
    assert log is not None
    return values(log, log.log_start_offset)


def home(site: Site) -> str:
    found = site.logs.directory_of(KEY)
    assert found is not None
    return found.path


def finish(site: Site) -> None:
    site.pass_time(0, lambda: not len(site.logs.moves))


def only_in(site: Site, path: str) -> bool:
    """No directory of the partition but the one in ``path``."""
    found = [f"{p}/{n}" for p in site.paths for n in site.files.directories(p)]
    return found == [f"{path}/t-0"]


def test_a_replica_moves_with_all_it_has(site: Site) -> None:
    site.start()
    original = fill(site)
    original.raise_log_start(7)
    expected, epochs = held(site), original.epochs.entries()
    moved: list[tuple[str, int]] = []
    site.logs.moves.on_moved = lambda *key: moved.append(key)
    site.logs.moves.start(*KEY, "/b")
    assert site.logs.moves.under_way(*KEY)
    finish(site)
    log = site.logs.get(*KEY)
    assert log is not None
    assert log is not original
    assert home(site) == "/b"
    assert moved == [KEY]
    assert (log.log_start_offset, log.log_end_offset, log.high_watermark) == (7, COUNT, COUNT)
    assert held(site) == expected
    assert log.place.topic_id == TOPIC_ID
    assert log.epochs.entries() == [(e, max(o, 7)) for e, o in epochs]
    assert append(log, b"more") == COUNT
    site.pass_time(2000, lambda: only_in(site, "/b"))
    site.logs.close()
    site.start()
    assert held(site) == [*expected, (COUNT, b"more")]
    assert home(site) == "/b"
    assert not site.files.exists(f"/b/t-0/{MARKER}")


def test_records_that_come_meanwhile_are_copied(site: Site) -> None:
    site.start()
    log = fill(site)
    site.logs.moves.start(*KEY, "/b")
    n = COUNT

    def going() -> bool:
        nonlocal n
        if n < 2 * COUNT:  # a copy that is slow shall come to the end
            found = site.logs.get(*KEY)
            assert found is not None
            append(found, b"value %d" % n)
            n += 1
        return home(site) == "/b"

    going()
    site.pass_time(0, going)
    assert log.log_end_offset > COUNT
    assert held(site) == [(i, b"value %d" % i) for i in range(n)]


def test_a_log_that_is_compacted_changes_places_afterwards(site: Site) -> None:
    site.start()
    fill(site)
    held_at = [site.now]
    site.logs.moves.is_held = lambda *key: key == KEY and site.now < held_at[0] + 5000
    site.logs.moves.start(*KEY, "/b")
    site.pass_time(0, lambda: site.logs.moves.lag(*KEY) == 0)
    site.pass_time(2000)
    assert home(site) == "/a"
    site.pass_time(4000, lambda: home(site) == "/b")


def test_a_cut_original_cuts_the_copy(site: Site) -> None:
    site.start()
    log = fill(site)
    site.logs.settings.move_bytes_per_second = 1
    site.logs.moves.start(*KEY, "/b")
    site.pass_time(0, lambda: site.logs.moves.lag(*KEY) not in (None, COUNT))
    assert (site.logs.moves.lag(*KEY) or 0) < COUNT
    log.truncate_to(3)
    for n in range(3, 90):
        append(log, b"other %d" % n)
    expected = held(site)
    site.logs.settings.move_bytes_per_second = 1 << 40
    site.pass_time(10_000_000, lambda: home(site) == "/b")
    assert held(site) == expected


def test_a_quota_that_grows_is_felt_at_once(site: Site) -> None:
    site.start()
    fill(site)
    site.logs.settings.move_bytes_per_second = 1
    site.logs.moves.start(*KEY, "/b")
    site.pass_time(0, lambda: site.logs.moves.lag(*KEY) not in (None, COUNT))
    site.pass_time(5000)
    assert home(site) == "/a"
    site.logs.settings.move_bytes_per_second = 1 << 40
    site.pass_time(1000, lambda: home(site) == "/b")


def test_a_move_that_waits_for_the_quota_is_cancelled_at_once(site: Site) -> None:
    site.start()
    fill(site)
    site.logs.settings.move_bytes_per_second = 1
    site.logs.moves.start(*KEY, "/b")
    site.pass_time(0, lambda: site.logs.moves.lag(*KEY) not in (None, COUNT))
    site.logs.moves.start(*KEY, "/a")
    site.pass_time(1000, lambda: only_in(site, "/a"))
    assert only_in(site, "/a")


def test_a_move_goes_on_after_a_restart(site: Site) -> None:
    site.start()
    fill(site)
    site.logs.settings.move_bytes_per_second = 1
    site.logs.moves.start(*KEY, "/b")
    site.pass_time(0, lambda: site.logs.moves.lag(*KEY) not in (None, COUNT))
    copied = COUNT - (site.logs.moves.lag(*KEY) or 0)
    assert copied
    site.logs.close()
    (name,) = site.files.directories("/b")
    assert name.endswith("-future")
    site.start()
    finish(site)
    assert home(site) == "/b"
    assert held(site) == [(n, b"value %d" % n) for n in range(COUNT)]


def test_another_directory_or_the_old_one_ends_the_move(site: Site) -> None:
    site.paths = ("/a", "/b", "/c")
    site.start()
    fill(site)
    site.logs.settings.move_bytes_per_second = 1
    site.logs.moves.start(*KEY, "/b")
    site.logs.moves.start(*KEY, "/b")
    assert len(site.files.directories("/b")) <= 1
    site.logs.moves.start(*KEY, "/c")
    site.pass_time(0, lambda: not site.files.directories("/b"))
    site.logs.moves.start(*KEY, "/a")
    site.pass_time(0, lambda: only_in(site, "/a"))
    assert not len(site.logs.moves)
    assert held(site) == [(n, b"value %d" % n) for n in range(COUNT)]


def test_a_deleted_partition_takes_its_copy_along(site: Site) -> None:
    site.start()
    fill(site)
    site.logs.settings.move_bytes_per_second = 1
    site.logs.moves.start(*KEY, "/b")
    site.logs.delete(*KEY)
    site.pass_time(2000, lambda: not site.files.directories("/a") + site.files.directories("/b"))
    assert [site.files.directories(path) for path in ("/a", "/b")] == [[], []]


def code_of(site: Site, path: str, **more: Any) -> int:
    with pytest.raises(KafkaError) as caught:
        site.logs.moves.start(*KEY, path, **more)
    return caught.value.code


def test_what_cannot_move_is_refused(site: Site) -> None:
    site.paths = ("/a", "/b", "/c")
    site.start()
    assert code_of(site, "/nowhere") == ErrorCode.LOG_DIR_NOT_FOUND
    assert code_of(site, "/b") == ErrorCode.REPLICA_NOT_AVAILABLE
    assert site.logs.create(*KEY).place.home.path == "/b", "it is made where it was sent"
    site.logs.dirs[0].home.fail(OSError(errno.EIO, "gone"))
    assert code_of(site, "/a") == ErrorCode.KAFKA_STORAGE_ERROR
    assert code_of(site, "/c") == ErrorCode.KAFKA_STORAGE_ERROR
    site.logs.moves.start(*KEY, "/b")


def test_replicas_that_nobody_has_may_not_be_sent_somewhere_without_end(site: Site) -> None:
    site.start()
    moves = site.logs.moves
    for n in range(MOST_PREFERRED + 5):
        with pytest.raises(KafkaError):
            moves.start("invented", n, "/b")
    assert moves.preferred(("invented", 0)) is not None
    assert moves.preferred(("invented", MOST_PREFERRED + 1)) is None
    with pytest.raises(KafkaError):
        moves.start("x" * 30_000, 0, "/b")
    assert moves.preferred(("x" * 30_000, 0)) is None


def test_a_full_target_is_tried_again(site: Site) -> None:
    site.start()
    fill(site)
    site.memory.fail("append", error=errno.ENOSPC, match="-future", skip=3, times=2)
    site.logs.moves.start(*KEY, "/b")

    def retried() -> bool:
        site.now += 1000
        return home(site) == "/b"

    site.pass_time(0, retried)
    assert held(site) == [(n, b"value %d" % n) for n in range(COUNT)]
    assert all(d.online for d in site.logs.dirs)


@pytest.mark.parametrize("match", ["-future", "/b/t-0"])
def test_a_broken_target_leaves_the_original(site: Site, match: str) -> None:
    site.start()
    fill(site)
    operation = "append" if match == "-future" else "rename"
    site.memory.fail(operation, match="-future")
    site.logs.moves.start(*KEY, "/b")
    site.pass_time(0, lambda: bool(site.gone))
    assert site.gone == [("/b", [], False)]
    assert home(site) == "/a"
    assert held(site) == [(n, b"value %d" % n) for n in range(COUNT)]


def test_two_replicas_without_a_marker_are_refused_as_in_kafka(site: Site) -> None:
    site.start()
    fill(site)
    site.logs.close()
    site.files.make_directory("/b/t-0")
    site.files.write(f"/b/t-0/{0:020d}.log", b"")
    with pytest.raises(StorageError, match="Duplicate log directories for t-0"):
        site.start()
    site.files.remove_tree("/b/t-0")
    site.start()


def moved_until_death(site: Site, files: MortalFiles, last: int) -> bool:
    """Fill a log, move it, die at the ``last``-th change; whether it came that far."""
    site.start()
    fill(site)
    files.live(last)
    try:
        site.logs.moves.start(*KEY, "/b")
        for _ in range(2):
            wait_for(lambda: files.dead or _idle(site), what="the move", poll=0.0005)
            site.now += 2000
        over = lambda: files.dead or (_idle(site) and only_in(site, "/b"))  # noqa: E731
        wait_for(over, what="the end", poll=0.0005)
    except PowerCutError:
        pass
    return files.dead


def _idle(site: Site) -> bool:
    site.logs.tick(site.now)
    return not len(site.logs.moves)


def survives(steps: int, *, power: bool) -> bool:
    """Die at step ``steps`` of a move and start again; whether it came that far."""
    files = MortalFiles()
    site = Site(files)
    site.config = TopicConfig(file_delete_delay_ms=1000, segment_bytes=1000)
    died = moved_until_death(site, files, steps)
    files.live()
    if power:
        files.lose_unsynced()
    site.kill()
    site.start()
    assert held(site) == [(n, b"value %d" % n) for n in range(COUNT)], steps
    finish(site)
    assert held(site) == [(n, b"value %d" % n) for n in range(COUNT)], steps
    at = home(site)
    site.pass_time(2000, lambda: only_in(site, at))
    log = site.logs.get(*KEY)
    assert log is not None
    assert append(log, b"more") == COUNT
    site.kill()
    return died


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("power", [False, True], ids=["kill", "power cut"])
def test_it_may_die_at_every_step(power: bool, every: int) -> None:
    steps = 1
    while survives(steps, power=power):
        steps += every
    assert steps > 30
