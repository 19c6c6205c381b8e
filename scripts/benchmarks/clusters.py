"""Rows about three brokers: replication, who takes over, moves of replicas.

The two clusters run one after the other: six brokers on two cores would measure each other.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial

from kazoo.client import KazooClient
from kazoo.exceptions import NoNodeError

from pykafka_ops.wire.messages.create_topics import CreatableTopic, CreateTopicsRequest
from scripts.benchmarks.context import ROOT, WORK, Bench, load, warm_memory
from scripts.benchmarks.results import Row
from scripts.benchmarks.trios import SESSION_MS, SIZE, Trio, trio, wait_quiet
from tests.support.differential.two_brokers import CLOSED, Link
from tests.support.waiting import wait_for

MB = 1e6
SIZES = {100: (1_000_000, 400_000), 1000: (400_000, 40_000)}
"""Records of each size, in a whole run and a quick one: enough that the start weighs little."""
RF3 = "cluster: acks=all, 3 replicas"
PRODUCE = {n: Row(f"{RF3}: produce {n} B", "MB/s", 1.0, True, 0) for n in SIZES}
CPU = {n: Row(f"{RF3}: CPU of the brokers, {n} B", "s", 0.7) for n in SIZES}
LATENCY = Row(f"{RF3}: end-to-end p99", "ms", 1.0)
FAILOVER = Row(
    "cluster: kill -9 of a leader to the next ack", "s", SESSION_MS / 1000 + 1, absolute=True
)
RESTART = Row("cluster: controlled restart, longest gap", "ms", 500, digits=0, absolute=True)
CONTROLLER = Row("cluster: controller failover, 10,000 partitions", "s", 0.3)
MOVE = Row("cluster: a throttled move, of the rate set", "share", 0.9, True, absolute=True)
GAP_SECONDS = 25
THROTTLE = 100_000_000
"""Bytes per second."""


def cluster(bench: Bench) -> None:
    """Three brokers on a ZooKeeper, ours after Apache Kafka's."""
    for name in bench.names:
        with trio(name, WORK / f"cluster-{name}") as made:
            _replicate(bench, made)
            _gaps(bench, made)
            _move(bench, made)
        with trio(name, WORK / f"controller-{name}") as made:
            _controller(bench, made)


def _replicate(bench: Bench, made: Trio) -> None:
    topic = made.new_topic("warm")
    load("produce", made, topic, count=100_000, size=100, acks=-1)
    for number in range(bench.repeats):
        for size, amounts in SIZES.items():
            topic = made.new_topic(f"produce-{size}-{number}")
            wait_quiet(made)
            count = bench.scaled(*amounts)
            warm_memory(count * size * SIZE)
            before = made.cpu_seconds()
            found = load("produce", made, topic, count=count, size=size, acks=-1)
            bench.add(PRODUCE[size], made, found["bytes"] / MB / found["seconds"])
            bench.add(CPU[size], made, made.cpu_seconds() - before)
    topic = made.new_topic("latency")
    load("latency", made, topic, count=200, acks=-1)
    for _ in range(bench.repeats):
        wait_quiet(made)
        found = load("latency", made, topic, count=bench.scaled(2000, 300), acks=-1)
        bench.add(LATENCY, made, found["p99"])


def _gaps(bench: Bench, made: Trio) -> None:
    """The longest time without an acknowledgement while a broker stops or dies."""
    for row, unit in ((RESTART, 1000.0), (FAILOVER, 1.0)):
        for number in range(bench.repeats):
            topic = made.new_topic(f"gap-{'restart' if row is RESTART else 'kill'}-{number}")
            client = "librdkafka" if row is RESTART else "asking"
            words = [client, made.bootstrap, topic, f"seconds={GAP_SECONDS}"]
            argv = [sys.executable, "-m", "scripts.benchmarks.gap_load", *words]
            running = subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, text=True)
            assert running.stdout is not None
            assert running.stdout.readline() == "running\n"
            time.sleep(2)
            broker = made.brokers[made.leader(topic)]
            if row is RESTART:
                broker.stop(120)
                broker.start(120)
            else:
                broker.running.kill()
            out, _ = running.communicate(timeout=300)
            assert running.returncode == 0, made.process.log_tail()
            bench.add(row, made, json.loads(out)["longest"] * unit)
            if row is FAILOVER:
                broker.start(120)
            _all_in_sync(made)


def _all_in_sync(made: Trio) -> None:
    admin = made.admin

    def settled() -> bool:
        topics = admin.list_topics(timeout=60).topics.values()
        return all(len(p.isrs) == len(p.replicas) for t in topics for p in t.partitions.values())

    wait_for(settled, seconds=300, what="all replicas in sync", poll=0.1)


def _controller(bench: Bench, made: Trio) -> None:
    """From the end of the controller's znode to the first topic the next one creates."""
    for at in range(bench.scaled(100, 10)):
        made.new_topic(f"many-{at}", 100, 1)
    wait_quiet(made, 120)
    for number in range(bench.repeats):
        with made.tree() as tree:
            before = int(tree.get("/controller_epoch")[0])
            begin = time.monotonic()
            tree.delete("/controller")
            _create(made, f"after-{number}", partial(_elected, tree, before))
            bench.add(CONTROLLER, made, time.monotonic() - begin)
        wait_quiet(made, 120)


def _elected(tree: KazooClient, before: int) -> int | None:
    """The controller of a later epoch than ``before``."""
    if int(tree.get("/controller_epoch")[0]) <= before:
        return None
    with contextlib.suppress(NoNodeError):
        return int(json.loads(tree.get("/controller")[0])["brokerid"])
    return None


def _create(made: Trio, name: str, controller: Callable[[], int | None]) -> None:
    """Have the next controller create a topic: it does so when it knows the cluster."""
    asked = CreateTopicsRequest(
        topics=[CreatableTopic(name=name, num_partitions=1, replication_factor=1)]
    )
    links = [Link(broker.bootstrap) for broker in made.brokers]

    def created() -> bool:
        number = controller()
        if number is None:
            return False
        answer = links[number].ask(asked, 5)
        return answer != CLOSED and answer.topics[0].error_code in (0, 36)

    wait_for(created, seconds=300, what="a controller that creates topics", poll=0.002)
    for link in links:
        link.close()


def _move(bench: Bench, made: Trio) -> None:
    """One replica moved under a throttle: bytes per second against the rate that was set."""
    size = bench.scaled(5000, 500) * 1_000_000
    first, second = 0, 1
    topic = "moved"
    asked = json.dumps({"version": 1, "partitions": [_place(topic, first)]})
    made.new_topic(topic, 1, 1)
    _reassign(made, asked)
    load("produce", made, topic, count=size // 1000, size=1000)
    wait_quiet(made)
    begin = time.monotonic()
    _reassign(made, json.dumps({"version": 1, "partitions": [_place(topic, second)]}), THROTTLE)
    bench.add(MOVE, made, size / (time.monotonic() - begin) / THROTTLE)


def _place(topic: str, broker: int) -> dict[str, object]:
    return {"topic": topic, "partition": 0, "replicas": [broker]}


def _reassign(made: Trio, text: str, throttle: int = -1) -> None:
    """Through ``pko reassign-partitions``, to its end."""
    file = made.directory / "moves.json"
    file.write_text(text)
    words = ["--bootstrap-server", made.bootstrap, "--reassignment-json-file", str(file)]
    tool = [sys.executable, "-m", "pykafka_ops", "kafka-reassign-partitions", *words]
    limit = ["--throttle", str(throttle)] if throttle > 0 else []
    subprocess.run([*tool, "--execute", *limit], cwd=ROOT, check=True, capture_output=True)

    def over() -> bool:
        done = subprocess.run([*tool, "--verify"], cwd=ROOT, capture_output=True, text=True)
        return done.returncode == 0 and "is completed" in done.stdout

    wait_for(over, seconds=600, what="the end of the move", poll=0.05)
