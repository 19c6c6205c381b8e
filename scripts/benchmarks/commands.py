"""Rows about commands: pko against Kafka's own tools, each asking its own broker."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from scripts.benchmarks.context import WORK, Bench, create_topics, load, new_topic
from scripts.benchmarks.results import OURS, Row
from scripts.benchmarks.targets import Target, targets, wait_idle
from tests.support.process.apache import tool_argv

COMMANDS = {
    "topics --list": ("kafka-topics", "--list"),
    "topics --describe": ("kafka-topics", "--describe"),
    "get-offsets": ("kafka-get-offsets",),
    "configs --describe": ("kafka-configs", "--describe", "--entity-type", "topics"),
}
FEW = {name: Row(f"{name}, 10 topics", "s", 0.25) for name in COMMANDS}
MEMORY = Row("topics --list: memory", "MB", 0.5, digits=0)
MANY = {name: Row(f"{name}, many partitions", "s", 0.3) for name in list(COMMANDS)[:3]}
HELP = Row("topics --help", "s", 0.25)
DUMP = {
    "dump-log: batches": (),
    "dump-log: --deep-iteration": ("--deep-iteration",),
    "dump-log: --print-data-log": ("--print-data-log",),
}
DUMPS = {name: Row(name, "s", 0.5) for name in DUMP}
VERIFY = Row("dump-log verify, per core", "MB/s", 500, True, digits=0, absolute=True)
FIND = Row("dump-log find --key, none there, per core", "MB/s", 200, True, digits=0, absolute=True)
PER_CORE = {VERIFY: ("verify",), FIND: ("find", "--key", "a key that is not there")}
PKO = Path(sys.executable).with_name("pko")


def _argv(name: str, words: Sequence[str]) -> list[str]:
    if name == OURS:
        return [str(PKO), *words]
    return tool_argv(words[0], *words[1:])


class Taken(NamedTuple):
    """What a command took: seconds by the clock, of a processor, and MB at most."""

    seconds: float
    cpu: float
    memory: float


def taken(argv: Sequence[str], lines: int) -> Taken:
    """What a command took that has at least so many ``lines`` of output: Kafka's tools that failed
    end with 0, too, and soon."""
    begin = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as said:
        child = subprocess.Popen(argv, stdout=out, stderr=said)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.monotonic() - begin
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        said.seek(0)
        printed = out.read()
        enough = child.returncode == 0 and printed.count(b"\n") >= lines
        assert enough, f"{argv}: {(printed + said.read()).decode()[-2000:]}"
    return Taken(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6)


def timed(argv: Sequence[str], *, fails: bool = False) -> tuple[float, float]:
    """Seconds and the most resident MB of a command whose output is thrown away."""
    begin = time.monotonic()
    child = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert child.stderr is not None
    said = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - begin
    assert fails or child.returncode == 0, f"{argv}: {said.decode()[-2000:]}"
    return seconds, usage.ru_maxrss * 1024 / 1e6


def cpu_seconds(argv: Sequence[str], *, code: int = 0) -> float:
    """What a command that ends with ``code`` takes of a processor, its children's time included."""
    before = os.times()
    done = subprocess.run(argv, capture_output=True)
    assert done.returncode == code, f"{argv}: {done.stderr.decode()[-2000:]}"
    after = os.times()
    spent = after.children_user - before.children_user
    return spent + after.children_system - before.children_system


def _against(target: Target, words: Sequence[str]) -> list[str]:
    return _argv(target.name, (words[0], "--bootstrap-server", target.bootstrap, *words[1:]))


def _measure(bench: Bench, pair: list[Target], rows: dict[str, Row], repeats: int) -> None:
    for name, row in rows.items():
        for _ in range(repeats):
            for target in pair:
                seconds, memory = timed(_against(target, COMMANDS[name]))
                bench.add(row, target, seconds)
                if row is FEW["topics --list"]:
                    bench.add(MEMORY, target, memory)


def commands(bench: Bench) -> None:
    """The everyday commands, against a broker with few and with many partitions."""
    with targets(bench.names, WORK, "commands") as pair:
        for target in pair:
            target.start()
            create_topics(target, [f"few-{i}" for i in range(10)], 3)
            wait_idle(target)
        _measure(bench, pair, FEW, max(bench.repeats, 5))
        for _ in range(max(bench.repeats, 5)):
            for target in pair:
                seconds, _memory = timed(_argv(target.name, ("kafka-topics", "--help")), fails=True)
                bench.add(HELP, target, seconds)
        for target in pair:
            names = [f"many-{i:04}" for i in range(bench.scaled(1000, 100))]
            bench.say(f"  {target.name}: creating {len(names)} topics")
            create_topics(target, names, 10)
            wait_idle(target, 60)
        bench.results.notes.append(f"commands, many partitions: {len(names):,} topics of 10")
        _measure(bench, pair, MANY, bench.repeats)


def dump(bench: Bench) -> None:
    """dump-log on one segment of 100 B records."""
    path = WORK / "dump" / f"{0:020}.log"
    path.parent.mkdir(parents=True, exist_ok=True)
    count = bench.scaled(4_800_000, 400_000)
    with targets([bench.names[0]], WORK, "dump") as (target,):
        target.start()
        topic = new_topic(target)
        load("produce", target, topic, count=count, size=100)
        target.stop()
        shutil.copy(target.broker.data_dir / f"{topic}-0" / path.name, path)
    bench.results.notes.append(f"dump-log: {path.stat().st_size / 1e6:.0f} MB, {count:,} records")
    for name, words in DUMP.items():
        for _ in range(bench.repeats if not words else 1):
            for target_name in bench.names:
                argv = _argv(target_name, ("kafka-dump-log", "--files", str(path), *words))
                seconds, _memory = timed(argv)
                bench.results.add(DUMPS[name], target_name, seconds)
                bench.say(f"  {target_name:7} {name}: {seconds:.2f} s")
    if OURS in bench.names:
        megabytes = path.stat().st_size / 1e6
        for row, (verb, *words) in PER_CORE.items():
            for _ in range(bench.repeats):
                argv = [str(PKO), "dump-log", verb, str(path), *words]
                rate = megabytes / cpu_seconds(argv, code=verb == "find")
                bench.results.add(row, OURS, rate)
                bench.say(f"  {OURS:7} {row.name}: {rate:,.0f} MB/s")
    shutil.rmtree(path.parent)
