"""InitProducerId gives each producer an id that nobody ever had, over restarts too."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest

from pykafka_ops.broker.metadata.embedded import EmbeddedStore
from pykafka_ops.broker.metadata.registration import allocate_producer_ids
from pykafka_ops.broker.metadata.store import MetadataStore, SessionLostError
from pykafka_ops.broker.services.producer_ids import ProducerIds
from pykafka_ops.wire.messages.init_producer_id import InitProducerIdRequest
from tests.support.memory.handler_site import Site
from tests.support.memory.sessions import SharedStore

LOADING, INVALID_REQUEST, NOT_COORDINATOR, BAD_TIMEOUT = 14, 42, 16, 50
PATH = "/latest_producer_id_block"


def site_on(store: object, broker: int = 0) -> Site:
    site = Site()
    tree = cast(MetadataStore, store)
    site.services.producer_ids = ProducerIds(partial(allocate_producer_ids, tree, broker))
    return site


async def new_id(site: Site, version: int = 4) -> int:
    answer = await site.ask_soon(InitProducerIdRequest(transactional_id=None), version)
    assert (answer.error_code, answer.producer_epoch) == (0, 0)
    return int(answer.producer_id)


@pytest.mark.parametrize("version", range(6))
def test_ids_count_up_from_zero(tmp_path: Path, version: int) -> None:
    async def body() -> None:
        store = EmbeddedStore(tmp_path / "m.db", durable=False)
        site = site_on(store)
        assert [await new_id(site, version) for _ in range(5)] == [0, 1, 2, 3, 4]
        node = await store.get(PATH)
        assert node is not None
        assert json.loads(node.data or b"") == {
            "version": 1,
            "broker": 0,
            "block_start": "0",
            "block_end": "999",
        }
        await store.close()

    asyncio.run(body())


def test_ids_of_brokers_and_restarts_never_meet(tmp_path: Path) -> None:
    async def body() -> None:
        given: list[int] = []
        for _ in range(3):
            store = SharedStore(tmp_path / "m.db", durable=False)
            sites = [site_on(store), site_on(store.sibling(), 1)]
            for _ in range(700):
                given += [await new_id(site) for site in sites]
            await store.close()
        assert len(set(given)) == len(given) == 4200
        assert max(given) < 6000

    asyncio.run(body())


def test_producers_that_come_together_share_one_block(tmp_path: Path) -> None:
    async def body() -> None:
        store = EmbeddedStore(tmp_path / "m.db", durable=False)
        site = site_on(store)
        ids = await asyncio.gather(*(new_id(site) for _ in range(1500)))
        assert sorted(ids) == list(range(1500))
        await store.close()

    asyncio.run(body())


class LostStore:
    """A store whose session has ended."""

    async def exists(self, path: str) -> Any:
        raise SessionLostError(path)

    async def get(self, path: str) -> Any:
        raise SessionLostError(path)


def test_without_the_tree_clients_are_told_to_try_again() -> None:
    async def body() -> None:
        site = site_on(LostStore())
        answer = await site.ask_soon(InitProducerIdRequest(transactional_id=None), 4)
        assert (answer.error_code, answer.producer_id, answer.producer_epoch) == (LOADING, -1, -1)

    asyncio.run(body())


def test_when_all_ids_are_used_up_it_says_so(tmp_path: Path) -> None:
    async def body() -> None:
        store = EmbeddedStore(tmp_path / "m.db", durable=False)
        last = {"version": 1, "broker": 1, "block_start": "0", "block_end": str(2**63 - 2)}
        await store.create(PATH, json.dumps(last).encode())
        site = site_on(store)
        answer = await site.ask_soon(InitProducerIdRequest(transactional_id=None), 4)
        assert (answer.error_code, answer.producer_id) == (-1, -1)
        await store.close()

    asyncio.run(body())


@pytest.mark.parametrize(("producer_id", "epoch"), [(5, -1), (-1, 5)])
def test_an_id_without_its_epoch_is_refused(producer_id: int, epoch: int) -> None:
    request = InitProducerIdRequest(
        transactional_id=None, producer_id=producer_id, producer_epoch=epoch
    )
    assert Site().ask(request, 3).error_code == INVALID_REQUEST


def transactional(identity: str, timeout_ms: int = 60_000) -> InitProducerIdRequest:
    return InitProducerIdRequest(transactional_id=identity, transaction_timeout_ms=timeout_ms)


def test_a_transactional_id_and_its_timeout_are_checked_first() -> None:
    assert Site().ask(transactional(""), 4).error_code == INVALID_REQUEST
    for timeout in (0, -1, 900_001):
        assert Site().ask(transactional("tx", timeout), 4).error_code == BAD_TIMEOUT
    assert Site().ask(transactional("tx"), 4).error_code == NOT_COORDINATOR
