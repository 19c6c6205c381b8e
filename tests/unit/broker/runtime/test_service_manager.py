"""What systemd is told."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from pykafka_ops.broker.runtime.service_manager import keep_alive, notify, watchdog_s


@pytest.fixture
def manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "notify"))
        listening.settimeout(60)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        yield listening


def test_a_state_is_one_datagram(manager: socket.socket) -> None:
    notify("READY=1")
    assert manager.recv(100) == b"READY=1"


def test_an_abstract_socket_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"pko-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(f"\0{name}")
        listening.settimeout(60)
        monkeypatch.setenv("NOTIFY_SOCKET", f"@{name}")
        notify("STOPPING=1")
        assert listening.recv(100) == b"STOPPING=1"


def test_signs_of_life_come_again_and_again(
    manager: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "20000")
    monkeypatch.delenv("WATCHDOG_PID", raising=False)

    async def two() -> list[bytes]:
        loop = asyncio.get_running_loop()
        keep_alive(loop)
        return [await loop.run_in_executor(None, manager.recv, 100) for _ in range(2)]

    assert asyncio.run(two()) == [b"WATCHDOG=1", b"WATCHDOG=1"]


def test_nobody_is_told_where_nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    monkeypatch.setenv("WATCHDOG_USEC", "1000000")
    monkeypatch.setenv("WATCHDOG_PID", str(os.getpid() + 1))
    notify("READY=1")
    assert watchdog_s() is None
    monkeypatch.setenv("WATCHDOG_PID", str(os.getpid()))
    assert watchdog_s() == 1.0
    monkeypatch.setenv("WATCHDOG_USEC", "soon")
    assert watchdog_s() is None
