"""The broker's process: CPU, memory, descriptors, garbage collection, delay of the event loop."""

from __future__ import annotations

import asyncio
import gc
import os
import resource
import time
from collections import deque

from pykafka_ops.metrics.family import Book, Labels, MetricKind, Times

TICK_S = 0.5
TICKS = 120
"""The last minute."""
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_SHARES = ("0.5", "0.95", "0.99", "1")

_IDLE = (
    "kafka.server:KafkaRequestHandlerPool:RequestHandlerAvgIdlePercent:OneMinuteRate",
    "kafka.network:SocketServer:NetworkProcessorAvgIdlePercent",
    "kafka_network_socketserver_networkprocessoravgidlepercent",  # of jmx_exporter's own rules
)


class LoopWatch:
    """Measures the delay of the event loop, and the share of time in which it is idle."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._late: deque[float] = deque(maxlen=TICKS)
        self._used: deque[tuple[float, float]] = deque(maxlen=TICKS)
        self._due = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self.count, self.total = 0, 0.0

    def start(self) -> None:
        """Measure twice a second from now on. Call it on the loop."""
        self._used.append((time.monotonic(), time.thread_time()))
        self._due = self._loop.time() + TICK_S
        self._timer = self._loop.call_at(self._due, self._tick)

    def stop(self) -> None:
        """Stop measuring."""
        if self._timer is not None:
            self._timer.cancel()

    def _tick(self) -> None:
        late = max(self._loop.time() - self._due, 0.0)
        self._late.append(late)
        self.count += 1
        self.total += late
        self.start()

    def collect(self, book: Book) -> None:
        """The measurements of the last minute."""
        began, used = self._used[0]
        passed = time.monotonic() - began
        if passed > 0:
            idle = max(1 - (time.thread_time() - used) / passed, 0.0)
            for name in _IDLE:
                text = "Share (0 to 1) of the last minute in which the event loop was idle"
                family = book.bean(name, text) if ":" in name else book.plain(name, text)
                family.add(round(idle, 6))
        late = sorted(self._late)
        if late:
            quantiles = tuple(
                (share, round(late[min(int(float(share) * len(late)), len(late) - 1)], 6))
                for share in _SHARES
            )
            book.plain(
                "pko_broker_event_loop_delay_seconds",
                "Delay of the event loop's timers in the last minute, in seconds",
                MetricKind.SUMMARY,
            ).add(Times(quantiles, self.count, round(self.total, 6)))


def collect(book: Book) -> None:
    """Numbers of the system and the interpreter about this process."""
    _collect_usage(book)
    _collect_disk(book)
    collections = book.plain(
        "python_gc_collections", "Garbage collections by generation", MetricKind.COUNTER
    )
    for generation, found in enumerate(gc.get_stats()):
        collections.add(found["collections"], Labels(generation=generation))


def _collect_usage(book: Book) -> None:
    stat = _read("/proc/self/stat").rpartition(b")")[2].split()
    spent = resource.getrusage(resource.RUSAGE_SELF)
    book.plain("process_cpu_seconds", "CPU time in seconds", MetricKind.COUNTER).add(
        round(spent.ru_utime + spent.ru_stime, 3)
    )
    if stat:
        book.plain("process_resident_memory_bytes", "Memory in use").add(int(stat[21]) * _PAGE)
        book.plain("process_virtual_memory_bytes", "Memory mapped").add(int(stat[20]))
        up = _read("/proc/uptime").split()
        if up:
            age = float(up[0]) - int(stat[19]) / _TICKS_PER_S
            book.plain("process_start_time_seconds", "Start, in seconds since 1970").add(
                round(time.time() - age, 2)
            )
    files = _descriptors()
    book.plain("process_open_fds", "Descriptors in use").add(files)
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    book.plain("process_max_fds", "Descriptors that may be in use").add(limit)


def _collect_disk(book: Book) -> None:
    lines = dict(line.split(b": ") for line in _read("/proc/self/io").splitlines() if b": " in line)
    for field, name in ((b"read_bytes", "read"), (b"write_bytes", "write")):
        value = lines.get(field)
        book.bean(
            f"kafka.server:KafkaServer:linux-disk-{name}-bytes",
            f"Bytes of disk {name}s by this process",
        ).add(None if value is None else int(value))


def _descriptors() -> int | None:
    try:
        return len(os.listdir("/proc/self/fd")) - 1
    except OSError:
        return None


def _read(path: str) -> bytes:
    """The file's content; empty where the system has no such file."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
