"""Joining the cluster, becoming controller, producer id blocks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.broker.metadata import registration
from pykafka_ops.broker.metadata.store import BadVersionError, Create
from pykafka_ops.broker.metadata.znodes.cluster import (
    ControllerZNode,
    ProducerIdBlock,
    ProducerIdBlockZNode,
)
from pykafka_ops.broker.state.image import BrokerEndpoint, BrokerInfo
from pykafka_ops.errors import KafkaError, PkoError
from tests.support.memory.sessions import SharedStore

Body = Callable[[SharedStore, SharedStore], Coroutine[Any, Any, None]]
GOLDEN = Path(__file__).resolve().parents[3] / "golden" / "zk"


def info(id_: int) -> BrokerInfo:
    return BrokerInfo(id=id_, endpoints=(BrokerEndpoint("h", 9092, "PLAINTEXT", "PLAINTEXT"),))


@pytest.fixture
def run(tmp_path: Path) -> Callable[[Body], None]:
    """Run a coroutine with two sessions on one fresh tree that has the persistent paths."""

    def go(body: Body) -> None:
        async def main() -> None:
            one = SharedStore(tmp_path / "m.db", clock=lambda: 1, durable=False)
            two = one.sibling()
            await registration.ensure_paths(one)
            await body(one, two)
            await two.close()
            await one.close()

        asyncio.run(main())

    return go


def test_a_first_broker_makes_kafkas_tree(run: Callable[[Body], None]) -> None:
    async def body(store: SharedStore, _: SharedStore) -> None:
        await registration.cluster_id(store, "WZfOpypdRa28B4-blD8nrw")
        await registration.register_broker(store, info(0), 5)
        await registration.become_controller(store, 0, 5)
        await registration.ensure_feature(store)
        golden = json.loads((GOLDEN / "01-three-brokers.json").read_text())
        wanted = {p for p in golden if "acl" not in p and p[-2:] not in ("/1", "/2")}
        found: set[str] = set()

        async def walk(path: str) -> None:
            found.add(path)
            for name in await store.children(path):
                await walk(f"{path.rstrip('/')}/{name}")

        await walk("/")
        assert found == wanted
        for path in ("/controller_epoch", "/feature", "/brokers/ids/0", "/cluster/id"):
            node = await store.get(path)
            assert node is not None
            assert node.stat.version == golden[path]["version"], path

    run(body)


def test_the_first_cluster_id_stays(run: Callable[[Body], None]) -> None:
    async def body(one: SharedStore, two: SharedStore) -> None:
        assert await registration.cluster_id(one, "a") == "a"
        assert await registration.cluster_id(two, "b") == "a"

    run(body)


def test_a_registration_gives_an_epoch_that_grows(run: Callable[[Body], None]) -> None:
    async def body(one: SharedStore, two: SharedStore) -> None:
        first = await registration.register_broker(one, info(0), 5)
        assert await registration.register_broker(one, info(0), 6) == first
        with pytest.raises(PkoError, match="broker id 0 is registered already"):
            await registration.register_broker(two, info(0), 5)
        one.expire()
        assert await registration.register_broker(two, info(0), 7) > first

    run(body)


def test_only_one_broker_becomes_controller(run: Callable[[Body], None]) -> None:
    async def body(one: SharedStore, two: SharedStore) -> None:
        term = await registration.become_controller(one, 1, 5)
        assert term.epoch == 1
        with pytest.raises(registration.ControllerMovedError):
            await registration.become_controller(two, 2, 5)
        await registration.resign(one, term)
        later = await registration.become_controller(two, 2, 6)
        assert later.epoch == 2
        node = await one.get(ControllerZNode.path)
        assert node is not None
        assert ControllerZNode.decode(node.data) == 2
        with pytest.raises(BadVersionError):
            await one.multi([term.check(), Create("/zombie")])
        await registration.resign(one, term)
        assert await one.exists(ControllerZNode.path) is not None

    run(body)


def test_a_claim_that_had_succeeded_unnoticed_counts(run: Callable[[Body], None]) -> None:
    async def body(one: SharedStore, _: SharedStore) -> None:
        term = await registration.become_controller(one, 1, 5)
        again = await registration._claimed_after_all(
            one, 1, term.epoch, BadVersionError("/controller_epoch")
        )
        assert again == term

    run(body)


def test_generated_broker_ids_are_above_the_reserved(run: Callable[[Body], None]) -> None:
    async def body(one: SharedStore, two: SharedStore) -> None:
        ids = [await registration.generate_broker_id(store, 1000) for store in (one, two, one)]
        assert ids == [1001, 1002, 1003]

    run(body)


def test_producer_id_blocks_follow_each_other(run: Callable[[Body], None]) -> None:
    async def body(one: SharedStore, two: SharedStore) -> None:
        assert await registration.allocate_producer_ids(one, 1) == ProducerIdBlock(1, 0, 999)
        assert await registration.allocate_producer_ids(two, 2) == ProducerIdBlock(2, 1000, 1999)
        end = ProducerIdBlock(1, 2**63 - 1000, 2**63 - 1)
        await one.set(ProducerIdBlockZNode.path, ProducerIdBlockZNode.encode(end))
        with pytest.raises(KafkaError, match="exhausted"):
            await registration.allocate_producer_ids(one, 1)

    run(body)
