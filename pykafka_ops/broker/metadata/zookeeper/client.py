"""Opening and closing a client of ZooKeeper, off the event loop."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from functools import partial
from typing import Any

from kazoo.protocol.states import KeeperState
from kazoo.retry import KazooRetry

from pykafka_ops.zookeeper.access import Access
from pykafka_ops.zookeeper.acls import ensure_path
from pykafka_ops.zookeeper.client import POLL_S, Client

ONE_TRY_MS = 6000
"""Session timeout of clients for one errand, which also bounds each try to connect: a server that
has just opened its port may leave a client without an answer, the next try gets one."""


_OVER = (KeeperState.AUTH_FAILED, KeeperState.CLOSED, KeeperState.EXPIRED_SESSION)
"""States in which kazoo refuses requests at once."""


def new_client(connect: str, session_timeout_ms: int, access: Access, **options: Any) -> Client:
    """A client of ``host:port,...[/chroot]`` that tries to connect for ever."""
    retry = KazooRetry(max_tries=-1, delay=0.05, backoff=2, max_delay=1)
    return Client(connect, session_timeout_ms / 1000, access, connection_retry=retry, **options)


async def open_client(client: Client, hosts: str, timeout_ms: int) -> None:
    """Connect. Raises ConnectError if no server lets us in within ``timeout_ms``, or one refuses
    our login."""
    started = client.start_async()
    try:
        async with asyncio.timeout(timeout_ms / 1000):
            while not started.is_set():  # to wait in a thread could not be called off
                if client.refused or client.shut_out:
                    raise TimeoutError
                await asyncio.sleep(POLL_S)
    except BaseException as error:
        await end_client(client)
        if not isinstance(error, TimeoutError):
            raise
        raise client.why_not(hosts, f"{timeout_ms} ms") from None


def send_all(client: Client, requests: Sequence[tuple[Any, Any]]) -> None:
    """Hand many requests, each with its result, to kazoo at once.

    kazoo's thread is woken by a byte for each, through a socket that holds some hundreds of them
    if they are sent one by one: then the event loop would stop until kazoo has caught up.
    """
    *most, last = requests
    sock = client._connection._write_sock
    if client.client_state in _OVER or sock is None:
        for request in most:
            client._call(*request)
    elif most:
        client._queue.extend(most)
        with contextlib.suppress(OSError):  # closed meanwhile: the last request hears of it, too
            sock.send(b"\0" * len(most))
    client._call(*last)


async def end_client(client: Client) -> None:
    """End its session and its threads."""
    await asyncio.get_running_loop().run_in_executor(None, client.end)


async def make_chroot(
    hosts: str, chroot: str, timeout_ms: int, access: Access, *, secure: bool
) -> None:
    """As ``KafkaZkClient.createZkChroot``: with a session of its own, outside of the chroot.

    ``secure``: with ACLs. Raises ConnectError, and kazoo's error where it may not be made.
    """
    client = new_client(hosts, min(timeout_ms, ONE_TRY_MS), access)
    await open_client(client, hosts, timeout_ms)
    make = partial(ensure_path, client, "/" + chroot, secure=secure)
    try:
        await asyncio.get_running_loop().run_in_executor(None, make)
    finally:
        await end_client(client)
