"""Opening and closing a client of ZooKeeper, off the event loop."""

from __future__ import annotations

import asyncio
from typing import Any

from kazoo.client import KazooClient
from kazoo.retry import KazooRetry

from pykafka_ops.errors import ConnectError

POLL_S = 0.002
ONE_TRY_MS = 6000
"""Session timeout of clients for one errand, which also bounds each try to connect: a server that
has just opened its port may leave a client without an answer, the next try gets one."""


def new_client(connect: str, session_timeout_ms: int, options: dict[str, Any]) -> KazooClient:
    """A client of ``host:port,...[/chroot]`` that tries to connect for ever."""
    return KazooClient(
        hosts=connect,
        timeout=session_timeout_ms / 1000,
        connection_retry=KazooRetry(max_tries=-1, delay=0.05, backoff=2, max_delay=1),
        **options,
    )


async def open_client(client: KazooClient, hosts: str, timeout_ms: int) -> None:
    """Connect. Raises ConnectError if no server lets us in within ``timeout_ms``."""
    started = client.start_async()
    try:
        async with asyncio.timeout(timeout_ms / 1000):
            while not started.is_set():  # to wait in a thread could not be called off
                await asyncio.sleep(POLL_S)
    except BaseException as error:
        await asyncio.get_running_loop().run_in_executor(None, close_client, client)
        if not isinstance(error, TimeoutError):
            raise
        raise ConnectError(
            f"no ZooKeeper at {hosts} lets us in within {timeout_ms} ms: "
            "check zookeeper.connect and that it runs"
        ) from None


def close_client(client: KazooClient) -> None:
    """End its session and its threads; blocks."""
    client.stop()
    client.close()


async def make_chroot(hosts: str, chroot: str, timeout_ms: int, options: dict[str, Any]) -> None:
    """As ``KafkaZkClient.createZkChroot``: with a session of its own, outside of the chroot."""
    client = new_client(hosts, min(timeout_ms, ONE_TRY_MS), options)
    await open_client(client, hosts, timeout_ms)
    loop = asyncio.get_running_loop()
    try:
        await loop.run_in_executor(None, client.ensure_path, "/" + chroot)
    finally:
        await loop.run_in_executor(None, close_client, client)
