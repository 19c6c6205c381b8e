"""A log directory written by either broker is opened by the other, and nothing is lost."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.clients.base import CODECS, Fetched
from tests.support.clients.confluent import ConfluentClient
from tests.support.clients.group_contents import fill_groups, groups_of
from tests.support.clients.samples import messages
from tests.support.cluster.znodes import from_zookeeper, hand_over, to_embedded
from tests.support.process.apache import ApacheBroker, ZooKeeper, run_tool
from tests.support.process.broker import BrokerProcess
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.java, pytest.mark.slow]
Contents = dict[str, tuple[tuple[int, int], list[Fetched]]]


def fill(bootstrap: str, *, deleting: bool = True) -> None:
    """Topics of many kinds with records in them.

    ``deleting``: also move a log's start; after a crash both brokers may have forgotten that.
    """
    client = ConfluentClient(bootstrap)

    def fill_codec(codec: str) -> None:
        client.create_topic(f"codec-{codec}", 2, {"retention.ms": "-1"})
        client.produce(f"codec-{codec}", messages(200), codec=codec, idempotent=True)
        client.produce(f"codec-{codec}", messages(50, seed=3), partition=1, acks="1")

    at_once(fill_codec, CODECS)
    client.create_topic("segments", 1, {"segment.bytes": "20000", "index.interval.bytes": "200"})
    for seed in range(20):
        client.produce("segments", messages(50, seed=seed), codec="gzip" if seed % 2 else "none")
    client.create_topic("appended", 1, {"message.timestamp.type": "LogAppendTime"})
    client.produce("appended", messages(30), codec="snappy")
    client.create_topic("started-later", 1, {"segment.bytes": "20000"})
    for seed in range(10):
        client.produce("started-later", messages(50, seed=seed))
    if deleting:
        client.delete_records("started-later", 321)
    client.create_topic("empty", 3)
    fill_groups(bootstrap, "codec-none")


def at_once(work: Callable[[str], None], words: Iterable[str]) -> None:
    """Beside each other: librdkafka waits half a second before a new producer has its id."""
    with ThreadPoolExecutor() as pool:
        list(pool.map(work, words))


def contents(bootstrap: str) -> Contents:
    """Offsets and every record of every partition."""
    client = ConfluentClient(bootstrap)
    found: Contents = {}
    for topic in sorted(t for t in client.list_topics() if not t.startswith("__")):
        for partition in client.describe_topic(topic):
            start, end = client.offsets(topic, partition.index)
            records = client.consume(topic, end - start, partition=partition.index, start=start)
            assert len(records) == end - start, (topic, partition)
            found[f"{topic}-{partition.index}"] = ((start, end), records)
    return found


def settled(bootstrap: str, count: int) -> bool:
    """All partitions have a leader."""
    client = ConfluentClient(bootstrap)
    topics = [t for t in client.list_topics() if not t.startswith("__")]
    leaders = [p.leader for t in topics for p in client.describe_topic(t)]
    return len(leaders) == count and min(leaders) >= 0


def appended(bootstrap: str, before: Contents) -> None:
    """Appending goes on where the other broker ended, for old and new producers."""
    client = ConfluentClient(bootstrap)

    def append(codec: str) -> None:
        end = before[f"codec-{codec}-0"][0][1]
        got = client.produce(f"codec-{codec}", messages(10), codec=codec, idempotent=True)
        assert got == list(range(end, end + 10))

    at_once(append, CODECS)


@pytest.mark.parametrize("ending", ["stop", "kill"])
def test_apache_kafka_opens_our_directory(
    tmp_path: Path,
    zookeeper: ZooKeeper,
    make_apache: Callable[..., ApacheBroker],
    make_broker: Callable[..., BrokerProcess],
    ending: str,
) -> None:
    ours = make_broker("data").start()
    fill(ours.bootstrap, deleting=ending == "stop")
    before, groups = contents(ours.bootstrap), groups_of(ours.bootstrap)
    getattr(ours, ending)()
    logs = tmp_path / "for-apache"
    hand_over(ours.data_dir, logs, zookeeper.connect)
    theirs = make_apache(logs).start()
    wait_for(lambda: settled(theirs.bootstrap, len(before)), what="leaders")
    assert contents(theirs.bootstrap) == before
    assert groups_of(theirs.bootstrap) == groups
    log = theirs.log.read_text()
    assert ("since clean shutdown file was found" in log) == (ending == "stop")
    assert "corrupt" not in log.lower()
    appended(theirs.bootstrap, before)
    after = contents(theirs.bootstrap)
    theirs.stop()
    # and back again, with what Kafka added
    to_embedded(logs, from_zookeeper(zookeeper.connect))
    again = make_broker("again", data_dir=logs).start()
    assert contents(again.bootstrap) == after
    assert groups_of(again.bootstrap) == groups
    assert again.stop() == 0


@pytest.mark.parametrize("ending", ["stop", "kill"])
def test_we_open_a_directory_of_apache_kafka(
    tmp_path: Path,
    zookeeper: ZooKeeper,
    make_apache: Callable[..., ApacheBroker],
    make_broker: Callable[..., BrokerProcess],
    ending: str,
) -> None:
    theirs = make_apache(tmp_path / "data").start()
    fill(theirs.bootstrap, deleting=ending == "stop")
    before, groups = contents(theirs.bootstrap), groups_of(theirs.bootstrap)
    getattr(theirs, ending)()
    logs = tmp_path / "for-us"
    shutil.copytree(theirs.data_dir, logs)
    to_embedded(logs, from_zookeeper(zookeeper.connect))
    ours = make_broker("ours", data_dir=logs).start()
    assert contents(ours.bootstrap) == before
    assert groups_of(ours.bootstrap) == groups
    appended(ours.bootstrap, before)
    after = contents(ours.bootstrap)
    ours.restart()
    assert contents(ours.bootstrap) == after


def test_kafkas_own_tool_dumps_our_segments_without_complaint(
    make_broker: Callable[..., BrokerProcess],
) -> None:
    ours = make_broker("data").start()
    fill(ours.bootstrap)
    before = contents(ours.bootstrap)
    ours.stop()
    files = [p for p in sorted(ours.data_dir.glob("*/*")) if p.suffix in SUFFIXES]
    assert len(files) > 60
    done = run_tool(
        *("kafka-dump-log", "--deep-iteration", "--print-data-log"),
        *("--files", ",".join(map(str, files))),
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    for complaint in ("isvalid: false", "Mismatches", "not found", "Non-consecutive", "corrupt"):
        assert complaint not in done.stdout
    assert done.stdout.count("| offset: ") >= sum(len(r) for _, r in before.values())
    indexes = [p for p in files if p.suffix == ".index"]
    checked = run_tool(
        "kafka-dump-log", "--index-sanity-check", "--files", ",".join(map(str, indexes))
    )
    assert checked.returncode == 0, checked.stderr
    verdicts = checked.stdout.count("passed sanity check") + checked.stdout.count("is empty.")
    assert verdicts == len(indexes), checked.stdout


SUFFIXES = (".log", ".index", ".timeindex", ".snapshot", ".txnindex")
