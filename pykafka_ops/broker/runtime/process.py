"""The broker as a process: its loop, its signals, its pid file, its log.

``run`` returns when the broker has stopped; everything else here helps ``pko broker`` to find,
stop and describe a broker that runs elsewhere.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import logging
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from pykafka_ops.broker import jobs
from pykafka_ops.broker.runtime.broker import Broker
from pykafka_ops.broker.runtime.log_lines import reopen_log
from pykafka_ops.broker.runtime.service_manager import keep_alive, notify
from pykafka_ops.broker.runtime.time_slice import take_turns
from pykafka_ops.broker.storage.files import FULL
from pykafka_ops.compiled import is_compiled
from pykafka_ops.errors import StorageError

log = logging.getLogger("kafka.server.KafkaServer")

PID_FILE = "broker.pid"
SWITCH_SECONDS = 0.001
"""How long a thread that converts records keeps the loop waiting for its turn: Python's own 5 ms
would be paid several times for one answer. Before clients are served, threads that recover logs
would only get in each other's way."""
COLLECT_AFTER = (2_000, 4, 12_000)
"""Objects made, and collections, before the next generation of garbage is looked for. Twenty times
rarer than Python's own in the end, but never of so many objects at once that clients feel it."""


def started_at() -> int:
    """The tick of the system's clock at which this process started; 0 where it is unknown."""
    try:
        with open("/proc/self/stat", "rb") as stat:
            return int(stat.read().rpartition(b")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return 0


def process_age_ms() -> float:
    """How long this process runs, the interpreter's own start included."""
    try:
        with open("/proc/uptime", "rb") as uptime:
            up, started = float(uptime.read().split()[0]), started_at()
    except (OSError, ValueError, IndexError):
        started = 0
    if not started:
        return time.process_time() * 1000
    return (up - started / os.sysconf("SC_CLK_TCK")) * 1000


def read_pid_file(data_dir: str | os.PathLike[str]) -> dict[str, Any] | None:
    """What a broker wrote about itself, None if there is nothing readable."""
    try:
        with open(os.path.join(data_dir, PID_FILE), encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and isinstance(found.get("pid"), int) else None


def raise_file_limit() -> None:
    """Take all descriptors the system gives: each connection and each log in use needs some."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def run(properties: Mapping[str, str], data_dir: str, on_ready: Callable[[str], None]) -> int:
    """Run a broker until SIGTERM or SIGINT; the exit code.

    ``on_ready`` gets the ready line once clients are served. Raises SettingError, StorageError
    or OSError when it cannot start.
    """
    with contextlib.suppress(ImportError):
        import uvloop

        asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    raise_file_limit()
    gc.freeze()  # modules
    gc.set_threshold(*COLLECT_AFTER)
    gc.enable()
    return asyncio.run(_serve(properties, data_dir, on_ready))


async def _serve(
    properties: Mapping[str, str], data_dir: str, on_ready: Callable[[str], None]
) -> int:
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(jobs.uncaught)
    take_turns()
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    loop.add_signal_handler(signal.SIGHUP, reopen_log)
    broker = Broker(properties, data_dir, on_fatal=stop.set)
    try:
        if not await _started(broker, stop):
            log.info("stopping: got a signal during the start")
            return 0
        _write_pid_file(data_dir, broker)
        gc.collect()
        gc.freeze()
        addresses = ", ".join(f"{e.host}:{e.port}" for e in broker.endpoints)
        age = round(process_age_ms())
        sys.setswitchinterval(SWITCH_SECONDS)
        on_ready(f"broker {broker.broker_id} ready on {addresses} in {age} ms")
        notify("READY=1")
        keep_alive(loop)
        loop.call_later(0.2, broker.warm_up)
        await stop.wait()
    finally:
        notify("STOPPING=1")
        await broker.stop()
        _remove_pid_file(data_dir)
    return 1 if broker.fatal else 0


async def _started(broker: Broker, stop: asyncio.Event) -> bool:
    """Start; False if ``stop`` came first, for what a start waits for may never come."""
    starting = asyncio.ensure_future(broker.start())
    stopping = asyncio.ensure_future(stop.wait())
    await asyncio.wait({starting, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    over = starting.done()
    if not over:
        starting.cancel()
        await asyncio.wait({starting})
    if not starting.cancelled():
        await starting
    return over


def _remove_pid_file(data_dir: str) -> None:
    """Remove it if it is ours: another broker may have kept us from starting."""
    found = read_pid_file(data_dir)
    if found is not None and found["pid"] == os.getpid():
        with contextlib.suppress(OSError):
            os.unlink(os.path.join(data_dir, PID_FILE))


def _write_pid_file(data_dir: str, broker: Broker) -> None:
    content = {
        "pid": os.getpid(),
        "broker_id": broker.broker_id,
        "cluster_id": broker.cluster_id,
        "listeners": [endpoint.text() for endpoint in broker.endpoints],
        "metrics": None if broker.metrics is None else broker.metrics.url,
        "compiled": is_compiled(),
        "started": started_at(),
        "started_ms": int(time.time() * 1000),
    }
    path = os.path.join(data_dir, PID_FILE)
    try:
        _replace_text(path, json.dumps(content) + "\n")
    except OSError as error:
        if error.errno not in FULL:
            raise StorageError(f"cannot write {path}: {error.strerror}") from None
        log.warning("no space for %s: pko broker stop and status will not find this broker", path)


def _replace_text(path: str, text: str) -> None:
    """In the place of what a broker left that was killed: that needs no space on a full disk."""
    data = text.encode()
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        os.write(fd, data.ljust(os.fstat(fd).st_size))
        os.ftruncate(fd, len(data))
    finally:
        os.close(fd)
