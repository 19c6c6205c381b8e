"""A mirror between two of our brokers: topics follow, records arrive once, work is shared."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pykafka_ops.client.configs import TOPIC, AlterOp, ConfigResource, alter_configs
from pykafka_ops.client.own_settings import own_settings
from pykafka_ops.client.topic_changes import (
    NewTopic,
    create_partitions,
    create_topics,
    delete_topics,
)
from tests.support.process.broker import BrokerProcess
from tests.support.process.console import pko
from tests.support.process.mirror import (
    MirrorProcess,
    arrived,
    client,
    mirror_file,
    numbers_in,
    partitions,
    status_rows,
    write_numbers,
)
from tests.support.waiting import wait_for

pytestmark = pytest.mark.slow
QUICK = {"group_initial_rebalance_delay_ms": 0, "offsets_topic_num_partitions": 2,
         "transaction_state_log_num_partitions": 2}  # fmt: skip
Run = Callable[[Path], MirrorProcess]


class Pair:
    """Two brokers, a and b, and clients of them."""

    def __init__(self, a: BrokerProcess, b: BrokerProcess, directory: Path) -> None:
        self.a, self.b, self.directory = a, b, directory
        self.source, self.target = client(a.bootstrap), client(b.bootstrap)

    def file(self, *more: str) -> Path:
        """Of a link from a to b."""
        path = self.directory / "mirror.toml"
        return mirror_file(path, self.a.bootstrap, self.b.bootstrap, *more)


@pytest.fixture
def pair(make_broker: Callable[..., BrokerProcess], tmp_path: Path) -> Iterator[Pair]:
    made = Pair(make_broker("a", **QUICK).start(), make_broker("b", **QUICK).start(), tmp_path)
    yield made
    made.source.close()
    made.target.close()


@pytest.fixture
def run() -> Iterator[Run]:
    """Starts mirrors, and ends them."""
    made: list[MirrorProcess] = []

    def start(file: Path) -> MirrorProcess:
        made.append(MirrorProcess(file))
        return made[-1]

    yield start
    for one in made:
        one.end(signal.SIGKILL)


def test_topics_and_settings_follow_the_source(pair: Pair, run: Run) -> None:
    create_topics(pair.source, [NewTopic("t", 2, 1, configs={"retention.ms": "7200000"})])
    write_numbers(pair.source, "t", range(100), 2)
    file = pair.file()
    planned = json.loads(pko("mirror", "plan", str(file), "-o", "json").stdout)["items"][0]
    assert [(c["change"], c["what"]) for c in planned["changes"]] == [("create topic", "a.t")]
    assert partitions(pair.target, "a.t") == 0

    mirror = run(file)
    arrived(pair.target, "a.t", range(100))
    place = ConfigResource(TOPIC, "a.t")

    def retention() -> object:
        found = own_settings(pair.target, [place], ["retention.ms"])[place]
        return found["retention.ms"] if isinstance(found, dict) else None

    assert retention() == "7200000"
    source = ConfigResource(TOPIC, "t")
    alter_configs(pair.source, {source: [(AlterOp.SET, "retention.ms", "3600000")]})
    create_partitions(pair.source, {"t": (4, None)})
    wait_for(lambda: partitions(pair.target, "a.t") == 4, what="the topic has grown")
    write_numbers(pair.source, "t", range(100, 400), 4)
    arrived(pair.target, "a.t", range(400))
    wait_for(lambda: retention() == "3600000", what="the setting has followed")
    (row,) = status_rows(file)
    assert (row["lag"], row["state"], row["partitions"]) == (0, "ok", 4)
    assert 'pko_mirror_lag_records{source="a",target="b",topic="t",partition="3"} 0' in (
        mirror.get("/metrics").splitlines()
    )
    assert mirror.end() == 0
    assert any("made topic a.t with 2 partitions" in line for line in mirror.lines)
    assert (status_rows(file)[0]["state"]) == "no process"


def test_a_pause_holds_topics_back_until_resume(pair: Pair, run: Run) -> None:
    create_topics(pair.source, [NewTopic("t", 1, 1), NewTopic("u", 1, 1)])
    file = pair.file()
    done = pko("mirror", "pause", str(file), "--topics", "t")
    assert done.returncode == 0, done.stderr
    run(file)
    for topic in "tu":
        write_numbers(pair.source, topic, range(10), 1)
    arrived(pair.target, "a.u", range(10))
    rows = {row["topic"]: row for row in status_rows(file)}
    assert (rows["t"]["state"], rows["u"]["state"]) == ("paused", "ok")
    assert not numbers_in(pair.target, "a.t")
    assert pko("mirror", "resume", str(file)).returncode == 0
    arrived(pair.target, "a.t", range(10))
    assert pko("mirror", "resume", str(file), "--topics", "t").returncode == 1


def test_processes_share_the_work_and_one_that_is_killed_loses_nothing(
    pair: Pair, run: Run
) -> None:
    create_topics(pair.source, [NewTopic("t", 6, 1)])
    file = pair.file()
    first, second = run(file), run(file)
    wait_for(
        lambda: all(len(m.link()["partitions"]) == 3 for m in (first, second)),
        what="each has three partitions",
        poll=0.2,
    )
    assert {first.link()["slot"], second.link()["slot"]} == {0, 1}
    for part in range(10):
        write_numbers(pair.source, "t", range(part * 100, part * 100 + 100), 6)
        if part == 5:
            second.end(signal.SIGKILL)
    arrived(pair.target, "a.t", range(1000))
    assert len(first.link()["partitions"]) == 6
    assert first.end() == 0


def test_a_cluster_that_is_away_ends_nothing(pair: Pair, run: Run) -> None:
    create_topics(pair.source, [NewTopic("t", 2, 1)])
    file = pair.file()
    mirror = run(file)
    write_numbers(pair.source, "t", range(50), 2)
    arrived(pair.target, "a.t", range(50))
    pair.b.kill()
    write_numbers(pair.source, "t", range(50, 100), 2)
    wait_for(lambda: mirror.link()["state"] == "trouble", what="the trouble is told", poll=0.2)
    assert "cannot connect" in mirror.link()["trouble"]
    assert pko("mirror", "status", str(file)).returncode == 3
    pair.b.start()
    arrived(pair.target, "a.t", range(100))
    wait_for(lambda: mirror.link()["state"] == "copying", what="it goes on", poll=0.2)
    assert mirror.process.poll() is None


@pytest.mark.parametrize("naming", ["prefix", "identity"])
def test_both_directions_do_not_go_round(pair: Pair, run: Run, naming: str) -> None:
    create_topics(pair.source, [NewTopic("t", 1, 1)])
    create_topics(pair.target, [NewTopic("u", 1, 1)])
    write_numbers(pair.source, "t", range(10), 1)
    write_numbers(pair.target, "u", range(20, 30), 1)
    run(pair.file("both-ways = true", f'naming = "{naming}"'))
    before = ("a.", "b.") if naming == "prefix" else ("", "")
    arrived(pair.target, f"{before[0]}t", range(10))
    arrived(pair.source, f"{before[1]}u", range(20, 30))
    write_numbers(pair.source, "t", range(10, 20), 1)
    arrived(pair.target, f"{before[0]}t", range(20))
    assert numbers_in(pair.source, "t").total() == 20
    assert numbers_in(pair.target, "u").total() == 10
    assert partitions(pair.source, "b.a.t") == 0


def test_a_topic_that_both_directions_may_write_to_goes_one_way(pair: Pair, run: Run) -> None:
    for cluster in (pair.source, pair.target):
        create_topics(cluster, [NewTopic("t", 1, 1)])
    write_numbers(pair.source, "t", range(10), 1)
    write_numbers(pair.target, "t", range(10, 20), 1)
    run(pair.file("both-ways = true", 'naming = "identity"', 'adopt = ["t"]'))
    arrived(pair.target, "t", range(20))
    write_numbers(pair.source, "t", range(20, 30), 1)
    arrived(pair.target, "t", range(30))
    assert numbers_in(pair.source, "t").total() == 20


def test_a_topic_that_is_made_anew_goes_on_behind_the_old_one(pair: Pair, run: Run) -> None:
    create_topics(pair.source, [NewTopic("t", 1, 1)])
    write_numbers(pair.source, "t", range(10), 1)
    file = pair.file()
    mirror = run(file)
    arrived(pair.target, "a.t", range(10))
    mirror.end()
    delete_topics(pair.source, ["t"])
    wait_for(lambda: not partitions(pair.source, "t"), what="the topic is gone")
    create_topics(pair.source, [NewTopic("t", 1, 1)])
    wait_for(lambda: partitions(pair.source, "t"), what="the topic is there again")
    write_numbers(pair.source, "t", range(10, 15), 1)
    assert status_rows(file)[0]["lag"] == 5  # 10 is a position of the old one
    words = ("mirror", "failover", str(file), "--drill", "--still", "1ms")
    assert b"5 offsets are not copied" in pko(*words).stdout
    run(file)
    arrived(pair.target, "a.t", range(15))
