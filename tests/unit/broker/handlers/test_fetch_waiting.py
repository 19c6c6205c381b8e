"""A Fetch that finds too little waits for more, for an end of its time, or for a change."""

from __future__ import annotations

import asyncio
import errno
from typing import Any

import pytest

from pykafka_ops.broker.partitions import fetches
from pykafka_ops.broker.storage.log.reader import ColdRead
from pykafka_ops.disk.compression import Codec
from pykafka_ops.disk.convert import read_message_set
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from tests.support.memory.handler_site import ME, OTHER, Later, Site, batch
from tests.support.memory.replication import follower_at

NONE, SERVER_ERROR, UNKNOWN_TOPIC, NOT_LEADER, STORAGE = 0, -1, 3, 6, 56
SIZE = len(batch(b"x"))


def request(*wanted: tuple[str, int], **head: Any) -> FetchRequest:
    """A request for partition 0 of (topic, offset)s."""
    topics = [
        FetchTopic(
            topic=name,
            partitions=[
                FetchPartition(partition=0, fetch_offset=offset, partition_max_bytes=1 << 20)
            ],
        )
        for name, offset in wanted
    ]
    return FetchRequest(topics=topics, **{"max_wait_ms": 500, "min_bytes": 1, **head})


def wait(site: Site, *wanted: tuple[str, int], version: int = 12, **head: Any) -> Later:
    later = site.ask(request(*wanted, **head), version)
    assert isinstance(later, Later)
    assert not later.done
    return later


def sizes(answer: Any) -> list[int]:
    return [len(p.records) for t in answer.responses for p in t.partitions]


def codes(answer: Any) -> list[int]:
    return [p.error_code for t in answer.responses for p in t.partitions]


@pytest.fixture
def site() -> Site:
    made = Site()
    made.topic("t")
    made.topic("u")
    return made


def test_what_is_appended_ends_the_wait(site: Site) -> None:
    later = wait(site, ("t", 0), ("u", 0))
    site.append("u", 0, batch(b"x"))
    assert sizes(later.answer) == [0, SIZE]
    assert len(site.replicas.fetches) == 0


def test_time_runs_out(site: Site) -> None:
    later = wait(site, ("t", 0))
    assert site.armed == [500.0]
    site.pass_time(499)
    assert not later.done
    site.pass_time(1)
    assert (sizes(later.answer), codes(later.answer)) == ([0], [NONE])


def test_a_client_that_will_not_wait_is_answered_at_once(site: Site) -> None:
    assert sizes(site.ask(request(("t", 0), max_wait_ms=0), 12)) == [0]
    assert sizes(site.ask(request(("t", 0), max_wait_ms=-1), 12)) == [0]
    assert sizes(site.ask(request(("t", 0), min_bytes=0), 12)) == [0]
    assert site.ask(request(), 12).responses == []


def test_less_than_the_client_wants_is_waited_on(site: Site) -> None:
    later = wait(site, ("t", 0), ("u", 0), min_bytes=3 * SIZE)
    site.append("t", 0, batch(b"x"))
    site.append("u", 0, batch(b"x"))
    assert not later.done
    site.append("t", 0, batch(b"x"))
    assert sizes(later.answer) == [2 * SIZE, SIZE]


def test_what_is_there_is_given_when_time_runs_out(site: Site) -> None:
    later = wait(site, ("t", 0), min_bytes=1 << 20)
    site.append("t", 0, batch(b"x"))
    site.pass_time(500)
    assert sizes(later.answer) == [SIZE]


def test_a_client_that_waits_for_much_is_not_read_for_at_every_append(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = []
    read_partition = fetches.read_partition

    def counted(*args: Any) -> Any:
        reads.append(args)
        return read_partition(*args)

    monkeypatch.setattr(fetches, "read_partition", counted)
    later = wait(site, ("t", 0), ("u", 0), min_bytes=100 * SIZE)
    for n in range(99):
        site.append("tu"[n % 2], 0, batch(b"x"))
    assert len(reads) == 2
    assert not later.done
    site.append("t", 0, batch(b"x"))
    assert sum(sizes(later.answer)) == 100 * SIZE


def test_waiting_for_much_ends_when_replicas_catch_up() -> None:
    site = Site()
    (partition,) = site.topic("t", isr=(ME, OTHER), replicas=(ME, OTHER))
    for _ in range(100):
        site.append("t", 0, batch(b"x"))
    later = wait(site, ("t", 0), min_bytes=100 * SIZE)
    follower_at(partition, 100)
    site.replicas.wake(partition.key)
    assert sizes(later.answer) == [100 * SIZE]


@pytest.mark.parametrize("min_bytes", [1, 1 << 20])
def test_losing_the_lead_ends_the_wait(site: Site, min_bytes: int) -> None:
    later = wait(site, ("t", 0), ("u", 0), version=10, min_bytes=min_bytes)
    site.replicas.find("t", 0).leader = OTHER  # type: ignore[union-attr]
    site.replicas.wake(("t", 0))
    assert codes(later.answer) == [NOT_LEADER, NONE]


@pytest.mark.parametrize("min_bytes", [1, 1 << 20])
def test_a_partition_that_is_deleted_ends_the_wait(site: Site, min_bytes: int) -> None:
    later = wait(site, ("t", 0), min_bytes=min_bytes)
    site.replicas.drop("t", 0)
    assert codes(later.answer) == [NOT_LEADER]


@pytest.mark.parametrize("min_bytes", [1, 1 << 20])
def test_a_directory_that_fails_ends_the_wait(site: Site, min_bytes: int) -> None:
    later = wait(site, ("t", 0), min_bytes=min_bytes)
    site.logs.logs.clear()
    site.replicas.find("t", 0).go_offline()  # type: ignore[union-attr]
    site.replicas.wake(("t", 0))
    assert codes(later.answer) == [STORAGE]


def test_an_error_beside_empty_partitions_is_told_at_once(site: Site) -> None:
    assert codes(site.ask(request(("t", 0), ("u", 99)), 12)) == [NONE, 1]


def test_an_unknown_partition_beside_others_ends_no_waiting(site: Site) -> None:
    later = wait(site, ("gone", 0), ("t", 0))
    site.append("t", 0, batch(b"x"))
    assert codes(later.answer) == [UNKNOWN_TOPIC, NONE]
    assert codes(site.ask(request(("gone", 0)), 12)) == [UNKNOWN_TOPIC]


def test_a_client_that_goes_leaves_nothing_behind(site: Site) -> None:
    later = wait(site, ("t", 0))
    later.deferred.abandon()
    assert len(site.replicas.fetches) == 0
    assert not site.replicas.fetches.watched(("t", 0))
    site.append("t", 0, batch(b"x"))
    site.pass_time(1000)


def test_a_bug_while_it_waits_is_answered(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    later, other = wait(site, ("t", 0)), wait(site, ("t", 0))

    def broken(*args: Any) -> Any:
        monkeypatch.undo()
        raise ZeroDivisionError

    monkeypatch.setattr(fetches.Fetches, "read_all", broken)
    site.append("t", 0, batch(b"x"))
    assert later.answer.error_code == SERVER_ERROR
    assert sizes(other.answer) == [SIZE]


def test_a_hundred_waiters_are_served_by_one_append(site: Site) -> None:
    waiters = [wait(site, ("t", 0)) for _ in range(100)]
    site.append("t", 0, batch(b"x"))
    assert all(sizes(each.answer) == [SIZE] for each in waiters)


# -- records that are not in memory ----------------------------------------------------------------


def test_cold_records_are_read_in_another_thread(site: Site) -> None:
    site.append("t", 0, batch(b"x"))
    site.append("u", 0, batch(b"yy"))
    site.logs.files.cold = True

    async def body() -> None:
        ran = []

        async def in_thread(fn: Any) -> Any:
            ran.append(fn)
            return await asyncio.to_thread(fn)

        site.services.fetches.run_in_thread = in_thread
        answer = await site.ask_soon(request(("t", 0), ("u", 0)), 12)
        assert sizes(answer) == [SIZE, SIZE + 1]
        assert len(ran) == 2

    asyncio.run(body())


def test_cold_records_that_cannot_be_read_take_their_directory_offline(site: Site) -> None:
    site.append("t", 0, batch(b"x"))
    site.append("u", 0, batch(b"y"))
    site.logs.files.cold = True
    site.logs.files.fail("read", error=errno.EIO, match="/t-0/")

    async def body() -> None:
        answer = await site.ask_soon(request(("t", 0), ("u", 0)), 12)
        assert codes(answer) == [STORAGE, NONE]
        assert sizes(answer) == [0, SIZE]
        assert not site.logs.home.online

    asyncio.run(body())


def test_old_clients_are_served_cold_records_too(site: Site) -> None:
    site.append("t", 0, batch(b"x"))
    site.logs.files.cold = True
    assert sizes(site.ask(request(("t", 0)), 3))[0] > 0


def test_a_cold_read_is_closed_when_it_is_done(site: Site) -> None:
    site.append("t", 0, batch(b"x"))
    log = site.replicas.find("t", 0).log  # type: ignore[union-attr]
    site.logs.files.cold = True
    cold = log.read(0, 1000, up_to=1, cached_only=True).cold
    assert isinstance(cold, ColdRead)
    assert len(cold.run()) == SIZE


# -- records that take long to convert ---------------------------------------------------------


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP, Codec.SNAPPY, Codec.LZ4])
def test_dense_batches_are_converted_in_another_thread(site: Site, codec: Codec) -> None:
    values = [b"v%d" % n for n in range(2000)]
    site.append("t", 0, batch(*values, codec=codec))

    async def body() -> None:
        ran = []

        async def in_thread(fn: Any) -> Any:
            ran.append(fn)
            return await asyncio.to_thread(fn)

        site.services.fetches.run_in_thread = in_thread
        answer = await site.ask_soon(request(("t", 0)), 2)
        (found,) = answer.responses[0].partitions
        assert [r.value for r in read_message_set(found.records).records] == values
        assert len(ran) == 1

    asyncio.run(body())


def test_a_dense_batch_that_cannot_be_converted_is_told_so(site: Site) -> None:
    site.append("t", 0, batch(*[b"v"] * 2000, codec=Codec.ZSTD))

    async def body() -> None:
        answer = await site.ask_soon(request(("t", 0)), 2)
        assert codes(answer) == [ErrorCode.UNSUPPORTED_COMPRESSION_TYPE]

    asyncio.run(body())


def test_a_dense_batch_that_comes_while_an_old_client_waits_is_left_for_its_next_request(
    site: Site,
) -> None:
    later = wait(site, ("t", 0), version=2)
    site.append("t", 0, batch(*[b"v"] * 2000))
    assert later.done
    assert (codes(later.answer), sizes(later.answer)) == ([NONE], [0])
