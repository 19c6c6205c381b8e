"""The embedded store behaves as a ZooKeeper session does."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from pykafka_ops.broker.metadata.embedded import EmbeddedStore
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
from pykafka_ops.errors import StorageError
from tests.support.memory.sessions import SharedStore

Body = Callable[[SharedStore], Coroutine[Any, Any, None]]


@pytest.fixture
def run(tmp_path: Path) -> Callable[[Body], None]:
    """Run a coroutine on a fresh store whose clock stands at 1000."""

    def go(body: Body) -> None:
        async def main() -> None:
            store = SharedStore(tmp_path / "m.db", clock=lambda: 1000, durable=False)
            await body(store)
            await store.close()

        asyncio.run(main())

    return go


def test_create_get_set_delete(run: Callable[[Body], None]) -> None:
    async def body(store: EmbeddedStore) -> None:
        assert await store.get("/a") is None
        assert await store.create("/a", b"x") == "/a"
        node = await store.get("/a")
        assert node is not None
        assert node.data == b"x"
        assert (node.stat.version, node.stat.ctime, node.stat.mtime) == (0, 1000, 1000)
        stat = await store.set("/a", b"yz", 0)
        assert (stat.version, stat.data_length) == (1, 2)
        assert stat.mzxid > stat.czxid
        await store.delete("/a", 1)
        assert await store.exists("/a") is None

    run(body)


def test_null_data_differs_from_empty_data(run: Callable[[Body], None]) -> None:
    async def body(store: EmbeddedStore) -> None:
        await store.multi([Create("/null"), Create("/empty", b"")])
        null, empty = await store.get_many(["/null", "/empty"])
        assert null is not None
        assert empty is not None
        assert (null.data, empty.data) == (None, b"")

    run(body)


def test_errors_are_zookeepers(run: Callable[[Body], None]) -> None:
    async def body(store: EmbeddedStore) -> None:
        await store.create("/a")
        await store.create("/a/b")
        await store.create("/e", ephemeral=True)
        with pytest.raises(NodeExistsError):
            await store.create("/a")
        with pytest.raises(NoNodeError):
            await store.create("/x/y")
        with pytest.raises(NotEmptyError):
            await store.delete("/a")
        with pytest.raises(BadVersionError):
            await store.set("/a", b"", 3)
        with pytest.raises(NoNodeError):
            await store.set("/x", b"")
        with pytest.raises(NoNodeError):
            await store.children("/x")
        with pytest.raises(EphemeralParentError):
            await store.create("/e/child")
        with pytest.raises(StoreError):
            await store.delete("/")

    run(body)


@pytest.mark.parametrize("path", ["", "a", "/a/", "//a", "/a//b", "/a/..", "/.", "/a\0b"])
def test_paths_that_are_none_are_refused(run: Callable[[Body], None], path: str) -> None:
    async def body(store: EmbeddedStore) -> None:
        with pytest.raises(StoreError):
            await store.create(path)

    run(body)


def test_children_are_names_in_order_and_only_direct_ones(run: Callable[[Body], None]) -> None:
    async def body(store: EmbeddedStore) -> None:
        await store.create("/b/x/deep", make_parents=True)
        await store.create("/b/a")
        await store.create("/bb")
        assert await store.children("/b") == ["a", "x"]
        assert await store.children("/b/a") == []
        assert await store.children("/") == ["b", "bb"]

    run(body)


def test_cversion_counts_creates_and_deletes_of_children(run: Callable[[Body], None]) -> None:
    async def body(store: EmbeddedStore) -> None:
        await store.create("/p")
        for name in ("a", "b", "c"):
            await store.create(f"/p/{name}")
        await store.delete("/p/b")
        stat = await store.exists("/p")
        assert stat is not None
        assert (stat.cversion, stat.num_children, stat.version) == (4, 2, 0)
        last = await store.exists("/p/c")
        assert last is not None
        assert stat.pzxid == last.czxid + 1

    run(body)


def test_sequence_numbers_count_creates_of_the_parent(run: Callable[[Body], None]) -> None:
    async def body(store: EmbeddedStore) -> None:
        await store.create("/c")
        paths = [await store.create("/c/n_", sequence=True) for _ in range(2)]
        await store.delete(paths[0])
        await store.create("/c/other")
        paths.append(await store.create("/c/n_", sequence=True))
        assert paths == ["/c/n_0000000000", "/c/n_0000000001", "/c/n_0000000003"]

    run(body)


def test_multi_is_all_or_nothing_and_names_the_bad_operation(
    run: Callable[[Body], None],
) -> None:
    async def body(store: EmbeddedStore) -> None:
        await store.create("/v", b"1")
        with pytest.raises(BadVersionError) as caught:
            await store.multi([Create("/n"), SetData("/v", b"2"), Check("/v", 7)])
        assert caught.value.index == 2
        assert await store.exists("/n") is None
        node = await store.get("/v")
        assert node is not None
        assert (node.data, node.stat.version) == (b"1", 0)

    run(body)


def test_multi_sees_its_own_writes_and_has_one_transaction_id(
    run: Callable[[Body], None],
) -> None:
    async def body(store: EmbeddedStore) -> None:
        results = await store.multi(
            [
                Create("/a"),
                Create("/a/b", b"1"),
                SetData("/a/b", b"2", 0),
                Check("/a/b", 1),
                Create("/a/c"),
                Delete("/a/c"),
            ]
        )
        assert results[0] == "/a"
        assert isinstance(results[2], Stat)
        assert results[2].version == 1
        assert results[3:] == [None, "/a/c", None]
        a, b = await store.exists("/a"), await store.exists("/a/b")
        assert a is not None
        assert b is not None
        assert a.czxid == b.czxid == b.mzxid
        assert (a.cversion, a.num_children) == (3, 1)
        assert await store.exists("/a/c") is None

    run(body)


def test_ephemerals_go_with_their_session(run: Callable[[Body], None]) -> None:
    async def body(store: SharedStore) -> None:
        other = store.sibling()
        await store.create("/ids")
        await store.create("/ids/1", ephemeral=True)
        await other.create("/ids/2", ephemeral=True)
        stat = await store.exists("/ids/2")
        assert stat is not None
        assert stat.ephemeral_owner == other.session_id != store.session_id
        await other.close()
        assert await store.children("/ids") == ["1"]
        with pytest.raises(SessionLostError):
            await other.get("/ids")

    run(body)


def test_ephemerals_of_a_former_run_are_gone_at_open(tmp_path: Path) -> None:
    file = tmp_path / "m.db"

    async def first() -> tuple[int, int]:
        store = EmbeddedStore(file)
        await store.create("/keep", b"k")
        await store.create("/gone", ephemeral=True)
        stat = await store.exists("/gone")
        assert stat is not None
        return store.session_id, stat.czxid  # no close: as if killed

    async def second(session: int, zxid: int) -> None:
        store = EmbeddedStore(file)
        assert await store.children("/") == ["keep"]
        assert store.session_id > session
        await store.create("/new")
        stat = await store.exists("/new")
        assert stat is not None
        assert stat.czxid > zxid
        await store.close()

    asyncio.run(second(*asyncio.run(first())))


def test_watches_stay_and_fire_on_the_loop(run: Callable[[Body], None]) -> None:
    async def body(store: EmbeddedStore) -> None:
        seen: list[tuple[str, str]] = []
        await store.create("/p")
        store.watch_children("/p", lambda path: seen.append(("children", path)))
        cancel = store.watch_data("/p/a", lambda path: seen.append(("data", path)))
        await store.create("/p/a")
        assert seen == []
        await asyncio.sleep(0)
        assert sorted(seen) == [("children", "/p"), ("data", "/p/a")]
        seen.clear()
        await store.set("/p/a", b"1")
        await asyncio.sleep(0)
        assert seen == [("data", "/p/a")]
        cancel()
        await store.delete("/p/a")
        await asyncio.sleep(0)
        assert seen == [("data", "/p/a"), ("children", "/p")]

    run(body)


def test_changes_in_one_round_come_as_one_call(run: Callable[[Body], None]) -> None:
    async def body(store: EmbeddedStore) -> None:
        seen: list[str] = []
        await store.create("/p")
        store.watch_children("/p", seen.append)
        for i in range(5):
            await store.create(f"/p/{i}")
        await asyncio.sleep(0)
        assert seen == ["/p"]

    run(body)


def test_watches_see_what_other_sessions_do_and_their_end(run: Callable[[Body], None]) -> None:
    async def body(store: SharedStore) -> None:
        seen: list[str] = []
        other = store.sibling()
        store.watch_data("/controller", seen.append)
        await other.create("/controller", ephemeral=True)
        await asyncio.sleep(0)
        await other.close()
        await asyncio.sleep(0)
        assert seen == ["/controller", "/controller"]

    run(body)


def test_an_expired_session_loses_its_ephemerals_and_starts_anew(
    run: Callable[[Body], None],
) -> None:
    async def body(store: SharedStore) -> None:
        heard: list[SessionState] = []
        store.on_session(heard.append)
        await store.create("/e", ephemeral=True)
        before = store.session_id
        store.expire()
        await asyncio.sleep(0)
        assert heard == [SessionState.EXPIRED, SessionState.CONNECTED]
        assert await store.exists("/e") is None
        assert store.session_id != before

    run(body)


_CHILD = """
import asyncio, os, sys
from pykafka_ops.broker.metadata.embedded import EmbeddedStore
async def main():
    store = EmbeddedStore(sys.argv[1])
    for i in range(10**6):
        await store.create(f"/n{i}", b"x")
        os.write(1, b"%d\\n" % i)
asyncio.run(main())
"""


def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    file = tmp_path / "m.db"
    child = subprocess.Popen([sys.executable, "-c", _CHILD, str(file)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    acknowledged = [child.stdout.readline() for _ in range(50)]
    os.kill(child.pid, signal.SIGKILL)
    acknowledged += child.stdout.readlines()
    child.wait()
    child.stdout.close()
    last = int(acknowledged[-1]) if acknowledged[-1].endswith(b"\n") else int(acknowledged[-2])

    async def check() -> None:
        store = EmbeddedStore(file)
        names = set(await store.children("/"))
        await store.close()
        assert {f"n{i}" for i in range(last + 1)} <= names

    asyncio.run(check())


def test_a_file_that_is_no_metadata_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "m.db"
    file.write_bytes(b"something else, longer than a header " * 100)
    with pytest.raises(StorageError, match="cannot open the metadata file"):
        EmbeddedStore(file)


def test_a_directory_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StorageError):
        EmbeddedStore(tmp_path / "missing" / "m.db")


def test_a_znode_costs_no_more_in_a_multi_of_ten_thousand(run: Callable[[Body], None]) -> None:
    async def cost(store: EmbeddedStore, parent: str, count: int) -> float:
        ops: list[Create] = [Create(parent)]
        ops += [Create(f"{parent}/{i}", b"x" * 70) for i in range(count)]
        gc.collect()
        start = time.thread_time()
        await store.multi(ops)
        spent = time.thread_time() - start
        assert len(await store.children(parent)) == count
        return spent / count

    async def body(store: EmbeddedStore) -> None:
        few = min([await cost(store, f"/few{i}", 500) for i in range(3)])
        for i in range(3):
            # A cost that grows with the number would be twenty times as high.
            if (many := await cost(store, f"/many{i}", 10_000)) < 10 * few:
                break
        assert many < 10 * few

    run(body)


def test_only_its_owner_reads_the_file_and_those_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "metadata.db"
    file.touch(0o644)
    store = EmbeddedStore(file)

    async def write() -> None:
        await store.create("/users", b"secret")

    asyncio.run(write())
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert len(modes) > 1
    assert set(modes.values()) == {0o600}
