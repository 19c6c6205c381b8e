"""Which broker of which cluster: ids, log directories of other clusters, registration."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.broker.metadata.registration import BrokerIdTakenError
from pykafka_ops.broker.runtime.cluster import membership
from pykafka_ops.broker.runtime.cluster.membership import Membership
from pykafka_ops.broker.runtime.settings.start import settings_at_start
from pykafka_ops.broker.state.image import BrokerEndpoint, BrokerInfo
from pykafka_ops.errors import StorageError
from tests.support.memory.sessions import SharedStore

CLUSTER = "WZfOpypdRa28B4-blD8nrw"


def with_tree(directory: Path, body: Callable[[SharedStore], Coroutine[Any, Any, None]]) -> None:
    async def main() -> None:
        store = SharedStore(directory / "m.db", clock=lambda: 1, durable=False)
        try:
            await body(store)
        finally:
            await store.close()

    asyncio.run(main())


def log_dir(directory: Path, meta: str = "") -> dict[str, str]:
    """Settings of a broker on ZooKeeper whose one log directory says ``meta`` of itself."""
    path = directory / "logs"
    path.mkdir()
    if meta:
        (path / "meta.properties").write_text(f"version=0\n{meta}")
    return {"zookeeper.connect": "unused:2181", "log.dirs": str(path)}


async def joined(store: SharedStore, settings: dict[str, str]) -> Membership:
    return await Membership.take(store, settings_at_start(settings))


def info(id_: int) -> BrokerInfo:
    return BrokerInfo(id=id_, endpoints=(BrokerEndpoint("h", 9092, "PLAINTEXT", "PLAINTEXT"),))


def test_the_configured_id_counts(tmp_path: Path) -> None:
    async def body(store: SharedStore) -> None:
        found = await joined(store, {**log_dir(tmp_path), "broker.id": "7"})
        assert found.broker_id == 7

    with_tree(tmp_path, body)


def test_a_broker_without_id_gets_the_next_above_the_reserved(tmp_path: Path) -> None:
    async def body(store: SharedStore) -> None:
        settings = {**log_dir(tmp_path), "reserved.broker.max.id": "20"}
        assert [(await joined(store, settings)).broker_id for _ in range(2)] == [21, 22]

    with_tree(tmp_path, body)


def test_an_id_given_before_stays(tmp_path: Path) -> None:
    async def body(store: SharedStore) -> None:
        found = await joined(store, log_dir(tmp_path, "broker.id=1003\n"))
        assert found.broker_id == 1003

    with_tree(tmp_path, body)


def test_a_lone_broker_is_number_0_or_what_its_directory_says(tmp_path: Path) -> None:
    settings = log_dir(tmp_path)
    del settings["zookeeper.connect"]
    assert settings_at_start(settings).value("broker.id") == 0
    (tmp_path / "logs" / "meta.properties").write_text("version=0\nbroker.id=5\n")
    assert settings_at_start(settings).value("broker.id") == 5


def test_a_lone_broker_keeps_a_generated_id(tmp_path: Path) -> None:
    async def body(store: SharedStore) -> None:
        settings = log_dir(tmp_path, "broker.id=1001\n")
        del settings["zookeeper.connect"]
        assert (await joined(store, settings)).broker_id == 1001

    with_tree(tmp_path, body)


def test_log_directories_of_another_cluster_are_refused(tmp_path: Path) -> None:
    async def body(store: SharedStore) -> None:
        settings = log_dir(tmp_path, f"broker.id=1\ncluster.id={CLUSTER}\n")
        with pytest.raises(StorageError, match="trying to join the wrong cluster"):
            await joined(store, settings)
        assert await store.get("/brokers/seqid") is not None
        assert await store.children("/brokers/ids") == []

    with_tree(tmp_path, body)


def test_an_empty_embedded_tree_takes_the_cluster_of_the_directories(tmp_path: Path) -> None:
    async def body(store: SharedStore) -> None:
        settings = log_dir(tmp_path, f"broker.id=1\ncluster.id={CLUSTER}\n")
        del settings["zookeeper.connect"]
        found = await joined(store, settings)
        assert (found.cluster_id, found.fresh) == (CLUSTER, True)

    with_tree(tmp_path, body)


def test_a_broker_of_a_cluster_adopts_no_logs(tmp_path: Path) -> None:
    async def body(store: SharedStore) -> None:
        assert not (await joined(store, log_dir(tmp_path))).fresh

    with_tree(tmp_path, body)


def test_an_id_in_use_is_refused_after_a_session_has_had_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(membership, "GRACE_MS", 0)

    async def body(store: SharedStore) -> None:
        settings = {**log_dir(tmp_path), "broker.id": "1", "zookeeper.session.timeout.ms": "1"}
        other = store.sibling()
        await (await joined(other, settings)).register(info(1))
        with pytest.raises(BrokerIdTakenError, match="broker id 1 is registered already"):
            await (await joined(store, settings)).register(info(1))
        await other.close()

    with_tree(tmp_path, body)


def test_the_end_of_a_former_session_is_waited_for_and_seen_by_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(membership, "SETTLE_S", 0.05)

    async def body(store: SharedStore) -> None:
        settings = {**log_dir(tmp_path), "broker.id": "1"}
        former = store.sibling()
        before = await (await joined(former, settings)).register(info(1))
        taken = await joined(store, settings)
        joining = asyncio.create_task(taken.register(info(1)))
        await asyncio.sleep(0)
        assert not joining.done()
        await former.close()
        gone = asyncio.get_running_loop().time()
        epoch = await joining
        assert epoch > before
        assert asyncio.get_running_loop().time() - gone >= membership.SETTLE_S, "nobody saw the end"

    with_tree(tmp_path, body)


def test_after_a_lost_session_the_same_endpoints_are_registered_anew(tmp_path: Path) -> None:
    async def body(store: SharedStore) -> None:
        taken = await joined(store, {**log_dir(tmp_path), "broker.id": "1"})
        first = await taken.register(info(1))
        written = await store.get("/brokers/ids/1")
        store.expire()
        assert await store.get("/brokers/ids/1") is None
        assert await taken.rejoin() > first
        again = await store.get("/brokers/ids/1")
        assert written is not None
        assert again is not None
        assert again.data is not None
        assert b'"endpoints":["PLAINTEXT://h:9092"]' in again.data

    with_tree(tmp_path, body)
