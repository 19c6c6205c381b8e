"""Carry a cluster's metadata between ZooKeeper and our embedded store."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

from kazoo.client import KazooClient

from pykafka_ops.broker.metadata.embedded import FILE_NAME, EmbeddedStore

Tree = dict[str, bytes]
KEPT = (
    "/cluster",
    "/brokers/topics",
    "/config/topics",
    "/config/brokers",
    "/latest_producer_id_block",
)


def from_zookeeper(connect: str) -> Tree:
    """Topics, their states and settings, and the cluster id."""
    client = KazooClient(connect)
    client.start()
    found: Tree = {}

    def walk(path: str) -> None:
        data, stat = client.get(path)
        if not stat.ephemeralOwner:
            found[path] = data or b""
            for child in client.get_children(path):
                walk(f"{path}/{child}")

    try:
        for root in KEPT:
            if client.exists(root):
                walk(root)
    finally:
        client.stop()
        client.close()
    return found


def to_zookeeper(connect: str, tree: Tree) -> None:
    client = KazooClient(connect)
    client.start()
    try:
        for path, data in tree.items():
            client.ensure_path(path)
            client.set(path, data)
    finally:
        client.stop()
        client.close()


def from_embedded(data_dir: Path) -> Tree:
    """The same of a broker of ours that is stopped."""
    found: Tree = {}

    async def walk(store: EmbeddedStore, path: str) -> None:
        node = await store.get(path)
        if node is not None and not node.stat.ephemeral_owner:
            found[path] = node.data or b""
            for child in await store.children(path):
                await walk(store, f"{path}/{child}")

    async def go() -> None:
        store = EmbeddedStore(data_dir / FILE_NAME)
        try:
            for root in KEPT:
                await walk(store, root)
        finally:
            await store.close()

    asyncio.run(go())
    return found


def to_embedded(data_dir: Path, tree: Tree) -> None:
    async def go() -> None:
        data_dir.mkdir(parents=True, exist_ok=True)
        store = EmbeddedStore(data_dir / FILE_NAME)
        try:
            for path, data in tree.items():
                if await store.exists(path):
                    await store.set(path, data)
                else:
                    await store.create(path, data, make_parents=True)
        finally:
            await store.close()

    asyncio.run(go())


def hand_over(data_dir: Path, logs: Path, connect: str) -> None:
    """Give Apache Kafka what a broker of ours had: its logs as ``logs``, its tree in ZooKeeper."""
    shutil.copytree(data_dir, logs)
    for path in logs.iterdir():
        if path.is_file() and ("metadata.db" in path.name or path.suffix == ".pid"):
            path.unlink()
    to_zookeeper(connect, from_embedded(data_dir))
