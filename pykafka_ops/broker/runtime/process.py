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
from pathlib import Path
from typing import Any

from pykafka_ops.broker.runtime.broker import Broker
from pykafka_ops.broker.runtime.sockets import request_log
from pykafka_ops.errors import StorageError

log = logging.getLogger("kafka.server.KafkaServer")

PID_FILE = "broker.pid"
CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160))}
CONTROLS |= {0x2028: "\\u2028", 0x2029: "\\u2029"}
LOG_FORMAT = "[%(asctime)s,%(msecs)03d] %(levelname)s %(message)s (%(name)s)"


class OneLine(logging.Formatter):
    """Shows control characters as escapes: clients choose names, but neither lines nor colours."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """The line of a record, without a traceback's lines."""
        return super().formatMessage(record).translate(CONTROLS)


def set_up_log(path: str | None, level: str) -> None:
    """Log to ``path``, or to stderr, in the layout of Kafka's log4j."""
    handler: logging.Handler = (
        logging.FileHandler(path, encoding="utf-8") if path else logging.StreamHandler(sys.stderr)
    )
    handler.setFormatter(OneLine(LOG_FORMAT, "%Y-%m-%d %H:%M:%S"))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    logging.getLogger("asyncio").setLevel(logging.WARNING)
    # As in Kafka's log4j.properties: a line for each request only where it is asked for.
    logging.getLogger(request_log.NAME).setLevel(logging.WARNING)


def reopen_log() -> None:
    """Go on in a new file of the same name: the old one was moved away."""
    for handler in logging.getLogger().handlers:
        if isinstance(handler, logging.FileHandler):
            handler.close()  # the next line opens it
    log.info("SIGHUP: log files are opened anew")


def started_at() -> int:
    """The tick of the system's clock this process was started at; 0 where it is not told."""
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


def read_pid_file(data_dir: Path) -> dict[str, Any] | None:
    """What a broker wrote about itself, None if there is nothing readable."""
    try:
        found = json.loads((data_dir / PID_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and isinstance(found.get("pid"), int) else None


def raise_file_limit() -> None:
    """Take all descriptors the system gives: each connection and each log in use needs some."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def run(properties: Mapping[str, str], data_dir: Path, on_ready: Callable[[str], None]) -> int:
    """Run a broker until SIGTERM or SIGINT; the exit code.

    ``on_ready`` gets the ready line once clients are served. Raises SettingError, StorageError
    or OSError when it cannot start.
    """
    with contextlib.suppress(ImportError):
        import uvloop

        asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    raise_file_limit()
    gc.set_threshold(50_000, 20, 100)
    return asyncio.run(_serve(properties, data_dir, on_ready))


async def _serve(
    properties: Mapping[str, str], data_dir: Path, on_ready: Callable[[str], None]
) -> int:
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    loop.add_signal_handler(signal.SIGHUP, reopen_log)
    broker = Broker(properties, data_dir, on_fatal=stop.set)
    try:
        if not await _started(broker, stop):
            log.info("stopping: a signal came before the start was over")
            return 0
        _write_pid_file(data_dir, broker)
        gc.collect()
        gc.freeze()
        addresses = ", ".join(f"{e.host}:{e.port}" for e in broker.endpoints)
        age = round(process_age_ms())
        on_ready(f"broker {broker.broker_id} ready on {addresses} in {age} ms")
        loop.call_later(0.2, broker.warm_up)
        await stop.wait()
    finally:
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


def _remove_pid_file(data_dir: Path) -> None:
    """Remove it if it is ours: another broker may have kept us from starting."""
    found = read_pid_file(data_dir)
    if found is not None and found["pid"] == os.getpid():
        with contextlib.suppress(OSError):
            (data_dir / PID_FILE).unlink()


def _write_pid_file(data_dir: Path, broker: Broker) -> None:
    content = {
        "pid": os.getpid(),
        "broker_id": broker.broker_id,
        "cluster_id": broker.cluster_id,
        "listeners": [endpoint.text() for endpoint in broker.endpoints],
        "started": started_at(),
        "started_ms": int(time.time() * 1000),
    }
    try:
        (data_dir / PID_FILE).write_text(json.dumps(content) + "\n", encoding="utf-8")
    except OSError as error:
        raise StorageError(f"cannot write {data_dir / PID_FILE}: {error.strerror}") from None
