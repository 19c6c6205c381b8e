"""Rows about ``pko audit``: records counted from files. Apache Kafka has no such tool; beside it
stands what reads every record of the same file, kafka-dump-log."""

from __future__ import annotations

import shutil
from pathlib import Path

from scripts.benchmarks.commands import PKO, cpu_seconds
from scripts.benchmarks.context import WORK, Bench, load, new_topic
from scripts.benchmarks.results import OURS, Row
from scripts.benchmarks.targets import targets
from tests.support.process.apache import tool_argv

_WHAT = "audit collect from files, per core (beside it dump-log --deep-iteration)"
SIZES = {
    size: Row(f"{_WHAT}, {size} B", "MB/s", 500, True, digits=0, absolute=True)
    for size in (100, 1000)
}
_MEGABYTES = 1000


def audit(bench: Bench) -> None:
    """Count one segment of records of 100 B, and one of 1 KB."""
    for size, row in SIZES.items():
        path = _segment(bench, size)
        megabytes = path.stat().st_size / 1e6
        bench.results.notes.append(f"audit, {size} B: {megabytes:.0f} MB")
        for number in range(bench.repeats):
            for name in bench.names:
                if name != OURS and number:
                    continue  # it takes minutes of a processor
                rate = megabytes / cpu_seconds(_argv(name, path))
                bench.results.add(row, name, rate)
                bench.say(f"  {name:7} {size} B: {rate:,.0f} MB/s")
        shutil.rmtree(path.parent.parent)


def _argv(name: str, path: Path) -> list[str]:
    if name == OURS:
        return [str(PKO), "audit", "collect", "bench", str(path.parent), "--book", ":memory:"]
    return tool_argv("kafka-dump-log", "--files", str(path), "--deep-iteration")


def _segment(bench: Bench, size: int) -> Path:
    """A segment as a broker has written it."""
    path = WORK / "audit" / "counted-0" / f"{0:020}.log"
    path.parent.mkdir(parents=True)
    count = bench.scaled(_MEGABYTES * 1_000_000 // (size + 10), 60_000_000 // size)
    with targets([bench.names[0]], WORK, "audit-source") as (target,):
        target.start()
        topic = new_topic(target)
        load("produce", target, topic, count=count, size=size)
        target.stop()
        for name in (path.name, path.with_suffix(".index").name):
            shutil.copy(target.broker.data_dir / f"{topic}-0" / name, path.parent)
    return path
