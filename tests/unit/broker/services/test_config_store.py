"""Settings in the tree, when the tree is away or says nonsense."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.broker.metadata import registration
from pykafka_ops.broker.metadata.embedded import EmbeddedStore
from pykafka_ops.broker.metadata.znodes.config import EntityConfig
from pykafka_ops.broker.services import config_store
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

Work = Callable[[EmbeddedStore], Coroutine[Any, Any, object]]


def read(store: EmbeddedStore) -> Coroutine[Any, Any, object]:
    return config_store.read(store, "topics/t")


def change(store: EmbeddedStore) -> Coroutine[Any, Any, object]:
    return config_store.change(store, "topics/t", lambda present: present)


@pytest.mark.parametrize("work", [read, change])
@pytest.mark.parametrize("trouble", ["gone", "nonsense"])
def test_clients_hear_of_an_unknown_error_and_the_log_says_which(
    work: Work, trouble: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def go() -> None:
        store = EmbeddedStore(tmp_path / "m.db", clock=lambda: 1, durable=False)
        await registration.ensure_paths(store)
        await store.create(EntityConfig.path("topics/t"), b"{", make_parents=True)
        if trouble == "gone":
            await store.close()
        try:
            await work(store)
        finally:
            await store.close()

    with pytest.raises(KafkaError) as caught:
        asyncio.run(go())
    assert caught.value.code == ErrorCode.UNKNOWN_SERVER_ERROR
    (record,) = caplog.records
    assert "/config/topics/t" in record.getMessage()
    assert record.exc_info is None
