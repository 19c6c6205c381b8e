"""The store on a real ZooKeeper keeps what the protocol of stores promises."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import Any

import pytest
from kazoo.client import KazooClient

from pykafka_ops.broker.metadata.store import (
    BadVersionError,
    Check,
    Create,
    Delete,
    EphemeralParentError,
    NodeExistsError,
    NoNodeError,
    NotEmptyError,
    SessionLostError,
    SessionState,
    SetData,
    Stat,
    StoreError,
)
from pykafka_ops.broker.metadata.zookeeper import client as zookeeper_client
from pykafka_ops.broker.metadata.zookeeper.store import ZooKeeperStore
from pykafka_ops.errors import ConnectError
from tests.support.process.apache import ZooKeeper
from tests.support.waiting import free_port

pytestmark = pytest.mark.java

SESSION_MS = 6000


@pytest.fixture(scope="module")
def zookeeper(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ZooKeeper]:
    server = ZooKeeper(tmp_path_factory.mktemp("zookeeper")).start()
    yield server
    server.close()


@contextlib.asynccontextmanager
async def session(connect: str) -> AsyncIterator[ZooKeeperStore]:
    store = await ZooKeeperStore.connect(
        connect, session_timeout_ms=SESSION_MS, connection_timeout_ms=60_000
    )
    try:
        yield store
    finally:
        await store.close()


Body = Callable[[ZooKeeperStore], Coroutine[Any, Any, None]]


@pytest.fixture
def run(zookeeper: ZooKeeper, request: pytest.FixtureRequest) -> Callable[[Body], None]:
    """Run a coroutine on a store below a chroot of the test's own."""

    def go(body: Body) -> None:
        async def main() -> None:
            async with session(f"{zookeeper.connect}/{request.node.name}/kafka") as store:
                await body(store)

        asyncio.run(main())

    return go


async def until(condition: Callable[[], bool], seconds: float = 120.0) -> None:
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.01)


def expire(store: ZooKeeperStore) -> None:
    """End the session of ``store`` as ZooKeeper does with one it has not heard of."""
    twin = KazooClient(_hosts(store), client_id=store._client.client_id)
    twin.start()
    twin.stop()
    twin.close()


def _hosts(store: ZooKeeperStore) -> str:
    return ",".join(f"{host}:{port}" for host, port in store._client.hosts)


def test_create_get_set_delete_with_versions_and_null_data(run: Callable[[Body], None]) -> None:
    async def body(store: ZooKeeperStore) -> None:
        assert await store.get("/a") is None
        assert await store.create("/a", b"x") == "/a"
        stat = await store.set("/a", b"yz", 0)
        assert (stat.version, stat.data_length) == (1, 2)
        await store.multi([Create("/null"), Create("/empty", b"")])
        found = await store.get_many(["/null", "/empty", "/none", "/a"])
        assert [n and n.data for n in found] == [None, b"", None, b"yz"]
        assert found[0] is not None
        assert found[2] is None
        await store.create("/deep/er/x", b"1", make_parents=True)
        assert await store.children("/deep") == ["er"]
        await store.delete("/a", 1)
        assert await store.exists("/a") is None

    run(body)


def test_errors_say_which_znode(run: Callable[[Body], None]) -> None:
    async def body(store: ZooKeeperStore) -> None:
        await store.create("/a")
        await store.create("/a/b")
        await store.create("/e", ephemeral=True)
        for call, kind in (
            (store.create("/a"), NodeExistsError),
            (store.create("/x/y"), NoNodeError),
            (store.delete("/a"), NotEmptyError),
            (store.set("/a", b"", 3), BadVersionError),
            (store.children("/x"), NoNodeError),
            (store.create("/e/child"), EphemeralParentError),
            (store.delete("/"), StoreError),
            (store.get("no/slash"), StoreError),
        ):
            with pytest.raises(kind):
                await call

    run(body)


def test_multi_is_all_or_nothing_and_names_the_bad_operation(run: Callable[[Body], None]) -> None:
    async def body(store: ZooKeeperStore) -> None:
        results = await store.multi(
            [Create("/v", b"1"), Create("/v/q_", sequence=True), SetData("/v", b"2", 0),
             Check("/v", 1), Create("/d"), Delete("/d")]
        )  # fmt: skip
        assert results[0:2] == ["/v", "/v/q_0000000000"]
        assert isinstance(results[2], Stat)
        assert results[3:] == [None, "/d", None]
        with pytest.raises(BadVersionError) as caught:
            await store.multi([Create("/n"), SetData("/v", b"3"), Check("/v", 7)])
        assert (caught.value.index, caught.value.path) == (2, "/v")
        assert await store.exists("/n") is None

    run(body)


def test_watches_stay_and_hear_what_others_do(run: Callable[[Body], None]) -> None:
    async def body(store: ZooKeeperStore) -> None:
        seen: list[tuple[str, str]] = []
        store.watch_children("/p", lambda path: seen.append(("children", path)))
        cancel = store.watch_data("/p/a", lambda path: seen.append(("data", path)))
        await store.create("/p")
        await until(lambda: ("children", "/p") in seen)
        for round_ in range(3):
            seen.clear()
            await store.create("/p/a", b"%d" % round_)
            await until(lambda: {("children", "/p"), ("data", "/p/a")} <= set(seen))
            seen.clear()
            await store.delete("/p/a")
            await until(lambda: {("children", "/p"), ("data", "/p/a")} <= set(seen))
        cancel()
        seen.clear()
        await store.create("/p/a")
        await until(lambda: ("children", "/p") in seen)
        assert ("data", "/p/a") not in seen

    run(body)


def test_no_change_is_missed_by_those_who_read_when_called(run: Callable[[Body], None]) -> None:
    async def body(store: ZooKeeperStore) -> None:
        await store.create("/n", b"0")
        last = asyncio.Event()

        async def look() -> None:
            node = await store.get("/n")
            if node is not None and node.data == b"300":
                last.set()

        tasks: list[asyncio.Task[None]] = []
        store.watch_data("/n", lambda _: tasks.append(asyncio.create_task(look())))
        for value in range(1, 301):
            await store.set("/n", b"%d" % value)
        async with asyncio.timeout(120):
            await last.wait()

    run(body)


def test_ephemerals_belong_to_the_session(zookeeper: ZooKeeper) -> None:
    async def main() -> None:
        async with session(f"{zookeeper.connect}/eph") as one:
            async with session(f"{zookeeper.connect}/eph") as two:
                await two.create("/e", ephemeral=True)
                stat = await one.exists("/e")
                assert stat is not None
                assert stat.ephemeral_owner == two.session_id != one.session_id
            assert await one.exists("/e") is None
            with pytest.raises(SessionLostError):
                await two.get("/e")

    asyncio.run(main())


def test_an_expired_session_is_followed_by_a_new_one_whose_watches_work(
    run: Callable[[Body], None],
) -> None:
    async def body(store: ZooKeeperStore) -> None:
        heard: list[SessionState] = []
        seen: list[str] = []
        store.on_session(heard.append)
        await store.create("/e", ephemeral=True)
        store.watch_data("/e", seen.append)
        before = store.session_id
        await asyncio.to_thread(expire, store)
        await until(lambda: heard[-2:] == [SessionState.EXPIRED, SessionState.CONNECTED])
        assert store.session_id != before
        await until(lambda: bool(seen))
        assert await store.exists("/e") is None
        seen.clear()
        await store.create("/e", ephemeral=True)
        await until(lambda: bool(seen))

    run(body)


def test_calls_wait_while_no_server_answers_and_the_session_lives_on(
    zookeeper: ZooKeeper,
) -> None:
    """One good round is enough: where the test stands still the session ends by that."""

    async def main() -> None:
        for number in range(4):
            async with session(f"{zookeeper.connect}/lives-on-{number}") as store:
                if await lives_on(store, zookeeper):
                    return
        pytest.fail("the session ended each time")

    asyncio.run(main())


async def lives_on(store: ZooKeeperStore, zookeeper: ZooKeeper) -> bool:
    """Stop ZooKeeper and let it go on; whether the session is still the same. All calls are
    answered then."""
    heard: list[SessionState] = []
    seen: list[str] = []
    store.on_session(heard.append)
    await store.create("/e", ephemeral=True)
    store.watch_data("/w", seen.append)
    before = store.session_id
    assert zookeeper.process is not None
    zookeeper.process.signal(signal.SIGSTOP)
    try:
        writes = [asyncio.create_task(store.create("/w", b"x", ephemeral=True))]
        writes.append(asyncio.create_task(store.set("/e", b"y")))  # type: ignore[arg-type]
        await until(lambda: SessionState.SUSPENDED in heard)
    finally:
        zookeeper.process.signal(signal.SIGCONT)
    outcome = await asyncio.gather(*writes, return_exceptions=True)
    if SessionState.EXPIRED in heard:
        return False
    assert [each for each in outcome if isinstance(each, BaseException)] == []
    assert store.session_id == before
    assert await store.get_many(["/e", "/w"])
    await until(lambda: bool(seen))
    return SessionState.EXPIRED not in heard


def test_nobody_there_is_one_clear_line() -> None:
    async def main() -> None:
        await ZooKeeperStore.connect(
            f"127.0.0.1:{free_port()}/x", session_timeout_ms=1000, connection_timeout_ms=500
        )

    with pytest.raises(ConnectError, match=r"no ZooKeeper at 127\.0\.0\.1:\d+ lets us in"):
        asyncio.run(main())


def test_ten_thousand_reads_are_under_way_together(run: Callable[[Body], None]) -> None:
    async def body(store: ZooKeeperStore) -> None:
        await store.create("/many")
        names = [f"/many/{i}" for i in range(10_000)]
        for start in range(0, len(names), 1000):
            await store.multi([Create(n, n.encode()) for n in names[start : start + 1000]])
        found = await store.get_many(names)
        assert [n and n.data for n in found] == [n.encode() for n in names]

    run(body)


def test_many_reads_are_the_same_one_by_one_and_together(zookeeper: ZooKeeper) -> None:
    async def main() -> None:
        async with session(f"{zookeeper.connect}/deep/down") as store:
            await store.create("/null", None)
            await store.create("/empty", b"")
            for n in range(300):
                await store.create(f"/n{n}", b"%d" % n)
            paths = ["/", "/null", "/empty", "/none", *(f"/n{n}" for n in range(700))]
            together = await store.get_many(paths)
            assert store._many._known is True
            store._many._known = False
            assert together == await store.get_many(paths)
            data = [None if node is None else node.data for node in together]
            assert data[1:6] == [None, b"", None, b"0", b"1"]
            assert together[3] is None
            assert data[-400:] == [None] * 400

    asyncio.run(main())


def test_a_first_try_that_is_never_answered_is_not_the_last(
    zookeeper: ZooKeeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(zookeeper_client, "ONE_TRY_MS", 500)
    came = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal came
        came += 1
        if came > 1:
            source, sink = await asyncio.open_connection("127.0.0.1", zookeeper.port)
            await asyncio.gather(pass_on(reader, sink), pass_on(source, writer))
        else:
            await reader.read()
        writer.close()

    async def main() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with server, session(f"127.0.0.1:{port}/late") as store:
            assert await store.create("/a") == "/a"

    asyncio.run(main())
    assert came > 2


async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
    writer.close()
