"""Rows about compaction: how fast it is, and what clients feel of it."""

from __future__ import annotations

import time
from pathlib import Path

from confluent_kafka.admin import (
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewTopic,
    ResourceType,
)

from scripts.benchmarks.context import WORK, Bench, load, wait_leaders, warm_memory
from scripts.benchmarks.results import Row
from scripts.benchmarks.targets import Target, targets, wait_idle
from tests.support.wire import raw

SIZES = {100: (600_000, 100_000), 1000: (200_000, 20_000)}
KEYS = 50_000
SPEED = {
    size: Row(f"compaction, {size} B records, {KEYS:,} keys", "MB/s", 1.2, True, 0)
    for size in SIZES
}
QUIET = Row("produce, 1 in flight: p99 without compaction", "ms", 1.0)
BUSY = Row("produce, 1 in flight: p99 during compaction, retention", "ms", 1.0)
WORST = Row("produce, 1 in flight: longest during compaction, retention", "ms", 1.0)
SETTINGS = {
    "log.cleaner.backoff.ms": 100,
    "log.retention.check.interval.ms": 500,
    "log.initial.task.delay.ms": 500,
    "log.segment.delete.delay.ms": 0,
}
SEGMENT = {"segment.bytes": str(8 << 20), "min.cleanable.dirty.ratio": "0.001"}


def cleaner(bench: Bench) -> None:
    """Compaction of a topic that was not compacted while it was written."""
    with targets(bench.names, WORK, "cleaner") as pair:
        for target in pair:
            target.broker.overrides.update(SETTINGS)
            target.start()
            _warm_up(bench, target)
            for size in SIZES:
                for _ in range(bench.repeats):
                    _round(bench, target, size)
            for _ in range(bench.repeats):
                _felt(bench, target)
            target.close()


def _admin(target: Target) -> AdminClient:
    return AdminClient({"bootstrap.servers": target.bootstrap, "log_level": 0})


def _create(target: Target, name: str, config: dict[str, str]) -> None:
    admin = _admin(target)
    admin.create_topics([NewTopic(name, 1, 1, config=config)])[name].result(60)
    wait_leaders(admin, [name], 1)


def _compact(target: Target, name: str) -> None:
    """From now on the topic is compacted."""
    entry = ConfigEntry("cleanup.policy", "compact", incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ResourceType.TOPIC, name, incremental_configs=[entry])
    admin = _admin(target)  # must live until the answer is there
    admin.incremental_alter_configs([resource])[resource].result(60)


def _directory(target: Target, name: str) -> Path:
    return target.broker.data_dir / f"{name}-0"


def _cleaned_to(target: Target, name: str) -> int:
    try:
        text = (target.broker.data_dir / "cleaner-offset-checkpoint").read_text()
    except FileNotFoundError:
        return -1
    rows = [line.split() for line in text.splitlines()[2:]]
    return next((int(row[2]) for row in rows if row[0] == name), -1)


def _filled(bench: Bench, target: Target, name: str, size: int, share: int = 1) -> float:
    """Make a topic dirty; the bytes below its active segment."""
    _create(target, name, SEGMENT)
    count = bench.scaled(*SIZES[size]) // share
    load("keyed", target, name, count=count, size=size, keys=KEYS)
    wait_idle(target)
    sizes = [p.stat().st_size for p in sorted(_directory(target, name).glob("*.log"))]
    return float(sum(sizes[:-1]))


def _bound(target: Target, name: str) -> int:
    return max(int(p.stem) for p in _directory(target, name).glob("*.log"))


def _warm_up(bench: Bench, target: Target) -> None:
    _filled(bench, target, "warm", 100, share=bench.scaled(4, 1))  # two segments at least
    _compact(target, "warm")
    bound = _bound(target, "warm")
    while _cleaned_to(target, "warm") < bound:
        time.sleep(0.01)


def _round(bench: Bench, target: Target, size: int) -> None:
    name = f"clean-{size}-{time.monotonic_ns()}"
    dirty = _filled(bench, target, name, size)
    bound = _bound(target, name)
    warm_memory(int(dirty))
    begin = time.monotonic()
    _compact(target, name)
    while _cleaned_to(target, name) < bound:
        assert time.monotonic() - begin < 300, f"{target.name} does not clean"
        time.sleep(0.005)
    bench.add(SPEED[size], target, dirty / 1e6 / (time.monotonic() - begin))


def _produce(
    target: Target, topic: str, until: float, *, stop_at: tuple[str, int] | None
) -> list[float]:
    """Milliseconds each request took, one at a time; ends when ``stop_at`` is clean."""
    frame = raw.produce(topic, raw.batch([b"x" * 100]))
    times: list[float] = []
    with raw.Connection(target.bootstrap) as connection:
        while time.monotonic() < until:
            begin = time.perf_counter()
            code, _ = raw.produced(connection.ask(frame))
            times.append((time.perf_counter() - begin) * 1000)
            assert code == 0
            done = stop_at is not None and len(times) % 500 == 0
            if done and stop_at is not None and _cleaned_to(target, stop_at[0]) >= stop_at[1]:
                break
    return sorted(times)


def _felt(bench: Bench, target: Target) -> None:
    number = time.monotonic_ns()
    dirty, aged, served = f"dirty-{number}", f"aged-{number}", f"served-{number}"
    _create(target, served, {})
    _filled(bench, target, dirty, 100)
    config = {"segment.bytes": str(1 << 20), "retention.bytes": str(1 << 20)}
    _create(target, aged, config)
    load("keyed", target, aged, count=100_000, size=100, keys=KEYS)
    wait_idle(target)
    quiet = _produce(target, served, time.monotonic() + 2, stop_at=None)
    bench.add(QUIET, target, quiet[len(quiet) * 99 // 100])
    bound = _bound(target, dirty)
    _compact(target, dirty)
    busy = _produce(target, served, time.monotonic() + 60, stop_at=(dirty, bound))
    bench.add(BUSY, target, busy[len(busy) * 99 // 100])
    bench.add(WORST, target, busy[-1])
