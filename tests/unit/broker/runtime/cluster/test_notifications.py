"""Numbered notifications: each is handled once, in order, and removed when old."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pykafka_ops.broker.metadata.embedded import EmbeddedStore
from pykafka_ops.broker.metadata.store import SessionLostError
from pykafka_ops.broker.runtime.cluster import notifications
from pykafka_ops.broker.runtime.cluster.notifications import EXPIRY_MS, Notifications
from pykafka_ops.errors import WireError

PREFIX = "/notes/note_"


class Clock:
    now = 1_000_000

    def __call__(self) -> int:
        return self.now


class World:
    """A store with a sequence, and what was read of it."""

    def __init__(self, path: Path) -> None:
        self.clock = Clock()
        self.store = EmbeddedStore(path / "m.db", clock=self.clock, durable=False)
        self.seen: list[bytes | None] = []
        self.lost = 0
        """How often the session is lost before a read succeeds."""
        self.notes = Notifications(self.store, PREFIX, self.read)

    async def read(self, data: bytes | None) -> None:
        if self.lost:
            self.lost -= 1
            raise SessionLostError("/notes")
        if data == b"junk":
            raise WireError("junk")
        self.seen.append(data)

    async def put(self, *notes: bytes) -> None:
        for note in notes:
            await self.store.create(PREFIX, note, sequence=True, make_parents=True)

    async def settle(self) -> None:
        await asyncio.sleep(0)
        while (task := self.notes._task) is not None and not task.done():
            await asyncio.sleep(0)

    async def close(self) -> None:
        await self.notes.close()
        await self.store.close()


def test_what_came_before_the_start_is_left_out_and_the_rest_is_read_in_order(
    tmp_path: Path,
) -> None:
    async def main() -> None:
        world = World(tmp_path)
        await world.put(b"before")
        await world.notes.start()
        await world.put(b"a", b"junk", b"b")
        await world.settle()
        assert world.seen == [b"a", b"b"]
        await world.close()

    asyncio.run(main())


def test_a_notification_is_read_again_when_the_session_was_lost_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        world = World(tmp_path)
        await world.put(b"before")
        await world.notes.start()
        world.lost = 2
        await world.put(b"a")
        await world.settle()
        assert world.seen == [b"a"]
        await world.close()

    monkeypatch.setattr(notifications, "RETRY_S", 0.0)
    asyncio.run(main())


def test_old_ones_are_removed_by_the_age_of_the_newest(tmp_path: Path) -> None:
    async def main() -> None:
        world = World(tmp_path)
        await world.put(b"before")
        await world.notes.start()
        world.clock.now += EXPIRY_MS
        await world.put(b"a")
        await world.settle()
        assert len(await world.store.children("/notes")) == 2
        world.clock.now += 1
        await world.put(b"b")
        await world.settle()
        assert await world.store.children("/notes") == ["note_0000000001", "note_0000000002"]
        await world.close()

    asyncio.run(main())
