"""Long transactions of the embedded tree give others their turn, and stay transactions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.broker.metadata.store import (
    BadVersionError,
    Create,
    Delete,
    NodeExistsError,
    Op,
    SessionLostError,
    SetData,
)
from tests.support.memory.sessions import SharedStore

Body = Callable[[SharedStore], Coroutine[Any, Any, None]]
MANY = 1000


@pytest.fixture
def run(tmp_path: Path) -> Callable[[Body], None]:
    def go(body: Body) -> None:
        async def main() -> None:
            store = SharedStore(tmp_path / "m.db", clock=lambda: 1000, durable=False)
            await store.multi([Create("/a"), Create("/b"), Create("/n", b"0")])
            await body(store)
            await store.close()

        asyncio.run(main())

    return go


def children(parent: str) -> list[Op]:
    return [Create(f"{parent}/{n}") for n in range(MANY)]


async def counted(work: Coroutine[Any, Any, object]) -> int:
    """How many turns others had until it was done."""
    task, turns = asyncio.ensure_future(work), 0
    while not task.done():
        await asyncio.sleep(0)
        turns += 1
    await task
    return turns


def test_others_have_their_turn_while_many_znodes_are_written_or_read(
    run: Callable[[Body], None],
) -> None:
    async def body(store: SharedStore) -> None:
        assert await counted(store.multi(children("/a"))) >= MANY / 100
        assert await counted(store.get_many([f"/a/{n}" for n in range(MANY)])) >= MANY / 100
        assert await store.children("/a") == sorted(str(n) for n in range(MANY))
        await store.multi([Create(f"/b/{n}") for n in range(5 * MANY)])
        assert await counted(store.children("/b")) >= 5
        assert await counted(store.multi([Create("/c")])) <= 2
        assert await counted(store.get("/a/0")) <= 2

    run(body)


def test_two_transactions_and_a_reader(run: Callable[[Body], None]) -> None:
    async def body(store: SharedStore) -> None:
        other = store.sibling()
        seen: set[tuple[int, int, bytes | None]] = set()
        first = asyncio.ensure_future(store.multi([*children("/a"), SetData("/n", b"1", 0)]))
        second = asyncio.ensure_future(other.multi([*children("/b"), SetData("/n", b"2", 1)]))
        third = asyncio.ensure_future(store.multi([SetData("/n", b"3", 2)]))
        while not third.done():
            await asyncio.sleep(0)
            a, b, number = await store.get_many(["/a", "/b", "/n"])
            assert a is not None
            assert b is not None
            assert number is not None
            seen.add((a.stat.num_children, b.stat.num_children, number.data))
        await asyncio.gather(first, second, third)
        assert seen == {(0, 0, b"0"), (MANY, 0, b"1"), (MANY, MANY, b"2"), (MANY, MANY, b"3")}
        ids = [(await store.get(path))[1] for path in ("/a/0", "/a/999", "/b/0", "/b/999", "/n")]  # type: ignore[index]
        zxids = [stat.mzxid for stat in ids]
        assert zxids == [zxids[0], zxids[0], zxids[0] + 1, zxids[0] + 1, zxids[0] + 2]
        await other.close()

    run(body)


def test_a_transaction_that_fails_late_leaves_nothing_and_the_next_goes_on(
    run: Callable[[Body], None],
) -> None:
    async def body(store: SharedStore) -> None:
        failing = asyncio.ensure_future(store.multi([*children("/a"), SetData("/n", b"x", 7)]))
        late = asyncio.ensure_future(store.multi([*children("/a"), Create("/a/5")]))
        good = asyncio.ensure_future(store.multi(children("/a")))
        with pytest.raises(BadVersionError) as caught:
            await failing
        assert caught.value.index == MANY
        with pytest.raises(NodeExistsError) as exists:
            await late
        assert exists.value.index == MANY
        assert len(await good) == MANY
        assert len(await store.children("/a")) == MANY

    run(body)


def test_children_are_those_of_one_moment(run: Callable[[Body], None]) -> None:
    async def body(store: SharedStore) -> None:
        await store.multi([*children("/a"), *[Create(f"/a/x{n}") for n in range(MANY)]])
        reading = asyncio.ensure_future(store.children("/a"))
        await asyncio.sleep(0)
        await store.multi([Delete("/a/0"), Delete("/a/x999")])  # one was read, the other was not
        found = await reading
        assert {"0", "x999"}.isdisjoint(found)
        assert len(found) == 2 * MANY - 2

    run(body)


def test_watches_fire_when_it_is_all_there(run: Callable[[Body], None]) -> None:
    async def body(store: SharedStore) -> None:
        seen: list[int] = []
        store.watch_children("/a", lambda _: seen.append(len(store._tree.children("/a"))))
        store.watch_data("/a/0", lambda _: seen.append(len(store._tree.children("/a"))))
        await store.multi(children("/a"))
        assert seen == []
        await asyncio.sleep(0)
        assert seen == [MANY, MANY]

    run(body)


def test_what_ends_with_a_session_meanwhile_is_not_undone(run: Callable[[Body], None]) -> None:
    """The end of a session waits for nobody: the transaction begins again."""

    async def body(store: SharedStore) -> None:
        other = store.sibling()
        await other.create("/a/mine", ephemeral=True)
        work = asyncio.ensure_future(store.multi(children("/a")))
        await asyncio.sleep(0)
        other.expire()
        await work
        assert "mine" not in await store.children("/a")
        stat = await store.exists("/a")
        assert stat is not None
        assert (stat.num_children, stat.cversion) == (MANY, MANY + 2)
        await other.close()

    run(body)


def test_a_failure_that_others_have_mended_meanwhile(run: Callable[[Body], None]) -> None:
    async def body(store: SharedStore) -> None:
        other = store.sibling()
        await other.create("/a/5", ephemeral=True)
        work = asyncio.ensure_future(store.multi([*children("/b"), *children("/a")]))
        await asyncio.sleep(0)
        other.expire()
        await work
        assert len(await store.children("/a")) == MANY
        await other.close()

    run(body)


@pytest.mark.parametrize("how", ["closed", "cancelled"])
def test_a_transaction_whose_caller_goes_is_not_written(
    run: Callable[[Body], None], how: str
) -> None:
    async def body(store: SharedStore) -> None:
        other = store.sibling()
        work = asyncio.ensure_future(other.multi(children("/a")))
        after = asyncio.ensure_future(store.multi([Delete("/n")]))
        await asyncio.sleep(0)
        if how == "closed":
            await other.close()
        else:
            work.cancel()
        with suppress(asyncio.CancelledError, SessionLostError):
            await work
            pytest.fail("it was written")
        await after
        assert await store.children("/a") == []
        assert await store.exists("/n") is None
        await other.close()

    run(body)
