"""Retention as a running broker applies it."""

from __future__ import annotations

import asyncio

import pytest

from pykafka_ops.broker.runtime.logs import tasks as module
from pykafka_ops.broker.runtime.logs.tasks import PeriodicTasks
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.configs.topic import TopicConfig
from pykafka_ops.broker.storage.log.log import Log
from pykafka_ops.errors import CorruptIndexError
from tests.support.memory.logs import NOW
from tests.support.memory.storage_site import TOPIC_ID, Site, append

DAY_MS = 86_400_000


def test_retention_goes_on_behind_a_log_that_cannot_be_looked_at(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "TICK_SECONDS", 0.001)
    site = Site(dirs=("/a",))
    site.config = TopicConfig(retention_ms=1)
    logs = site.start()
    made = [logs.create("t", n, TOPIC_ID) for n in range(3)]
    for log in made:
        append(log, b"x")
        log.raise_high_watermark(1)
    retain = Log.delete_old_segments

    def one_is_bad(self: Log, now: int) -> int:
        if self.place.key[1] == 1:
            raise CorruptIndexError("not to be read")
        return retain(self, now)

    monkeypatch.setattr(Log, "delete_old_segments", one_is_bad)

    async def body() -> None:
        configs = BrokerConfigs({"log.initial.task.delay.ms": "0"})
        tasks = PeriodicTasks(logs, configs, clock=lambda: NOW + DAY_MS, timer=lambda: site.now)
        tasks.start()
        async with asyncio.timeout(100):
            while made[2].log_start_offset == 0:
                await asyncio.sleep(0)
        await tasks.stop()

    asyncio.run(body())
    assert [log.log_start_offset for log in made] == [1, 0, 1]
    assert "retention of t-1 failed: CorruptIndexError('not to be read')" in caplog.messages
    site.kill()
