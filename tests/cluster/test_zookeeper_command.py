"""pko zookeeper and zookeeper-shell on a real ZooKeeper, beside ZooKeeper's own shell."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from kazoo.client import KazooClient

from tests.support.java import java_kit
from tests.support.process.apache import ZooKeeper, log4j
from tests.support.process.commands import pko
from tests.support.waiting import wait_for

pytestmark = pytest.mark.java
STATE = "/brokers/topics/t/partitions/{}/state"
GOOD = b'{"controller_epoch":1,"leader":2,"version":1,"leader_epoch":3,"isr":[2]}'
SCRIPT = """ls /
ls -R /k/brokers
ls -s /k
get /k/controller_epoch
get -s /k/controller_epoch
stat /k
get /k/nope
ls /nope
delete /k
create /made hello
create /made again
set /made bye
get /made
delete /made
getAllChildrenNumber /k
deleteall /gone
get
quit
"""


@pytest.fixture(scope="module")
def zookeeper(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ZooKeeper]:
    """With a chroot /k that holds a topic of 11 partitions; the last state is bad."""
    found = ZooKeeper(tmp_path_factory.mktemp("zookeeper")).start()
    client = KazooClient(found.connect)
    client.start()
    try:
        partitions = {str(i): [2] for i in range(11)}
        topic = json.dumps({"version": 3, "partitions": partitions}).encode()
        client.create("/k/brokers/topics/t", topic, makepath=True)
        client.create("/k/controller_epoch", b"5")
        for i in range(11):
            data = b'{"leader":1}' if i == 10 else GOOD
            client.create(f"/k{STATE.format(i)}", data, makepath=True)
        yield found
    finally:
        client.stop()
        client.close()
        found.close()


def test_znodes_are_read_below_the_chroot(zookeeper: ZooKeeper) -> None:
    where = ("--zookeeper", f"{zookeeper.connect}/k")
    assert pko("zookeeper", "ls", "/", *where, "-o", "name").out == "brokers\ncontroller_epoch\n"
    said = pko("zookeeper", "get", STATE.format(0), *where, "-o", "json")
    (item,) = json.loads(said.out)["items"]
    assert item["value"]["partition_epoch"] == 0
    assert item["stat"]["length"] == len(GOOD)
    assert pko("zookeeper", "get", STATE.format(0), *where, "--raw").out.encode() == GOOD
    said = pko("zookeeper", "tree", "/brokers/topics/t", *where, "-o", "name")
    states = [line for line in said.out.splitlines() if line.endswith("/state")]
    assert states == [STATE.format(i) for i in range(11)]


def test_a_bad_znode_is_shown_and_fails_the_check(zookeeper: ZooKeeper) -> None:
    where = ("--zookeeper", f"{zookeeper.connect}/k")
    said = pko("zookeeper", "check", *where, "-o", "csv")
    assert said.code == 4
    (row,) = said.out.splitlines()[1:]
    assert row.startswith(STATE.format(10))
    said = pko("zookeeper", "get", STATE.format(10), *where)
    assert said.code == 4
    assert "leader_epoch" in said.out
    assert pko("zookeeper", "get", "/nope", *where) == (1, "", "pko: Node does not exist: /nope\n")
    nothing = "pko: Node does not exist: /: ZooKeeper has nothing under this chroot\n"
    assert pko("zookeeper", "tree", where[0], f"{where[1]}/nope") == (1, "", nothing)


def test_a_change_is_seen(zookeeper: ZooKeeper) -> None:
    client = KazooClient(zookeeper.connect)
    client.start()
    argv = [sys.executable, "-m", "pykafka_ops", "zookeeper", "get", "/new", "--watch", "-o", "csv"]
    watch = subprocess.Popen(
        [*argv, "--zookeeper", zookeeper.connect],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert watch.stdout is not None
        assert watch.stderr is not None
        assert watch.stderr.readline() == "/new: not there yet\n"
        client.create("/new", b"1")
        assert [watch.stdout.readline() for _ in range(3)][2] == "data,1\n"
        client.set("/new", b"2")
        assert [watch.stdout.readline() for _ in range(3)][2] == "data,2\n"
        client.delete("/new")
        assert watch.stderr.readline() == "/new: gone\n"
    finally:
        watch.kill()
        watch.communicate(timeout=300)
        client.stop()
        client.close()


def test_the_shell_answers_as_zookeepers(zookeeper: ZooKeeper) -> None:
    argv = ["java", *java_kit.BRIEF_JVM, log4j("ERROR"), "-Duser.timezone=UTC", "-cp"]
    argv += [java_kit.server_classpath()]
    argv += ["org.apache.zookeeper.ZooKeeperMainWithTlsSupportForKafka", "-server"]
    argv += [zookeeper.connect]
    done = subprocess.run(argv, input=SCRIPT, capture_output=True, text=True, timeout=300)
    ours = pko("zookeeper-shell", zookeeper.connect, text=SCRIPT)
    assert answers(ours.out) == answers(done.stdout)
    assert complaints(ours.err) == complaints(done.stderr)


def answers(text: str) -> list[str]:
    """The lines without those about the connection, which come when they come."""
    talk = re.compile(r"(Connecting|Welcome|JLine|WATCHER|WatchedEvent|$)")
    lines = [re.sub(r"^([cmp]Zxid|[cm]time) = .*", r"\1", line) for line in text.splitlines()]
    return [line for line in lines if not talk.match(line)]


def complaints(text: str) -> list[str]:
    """The lines that no logger wrote; the usage of ``get`` without the watch, which we lack."""
    return [
        line.replace(" [-w]", "") for line in text.splitlines() if line and not line.startswith("[")
    ]


def test_one_command_has_its_exit_code(zookeeper: ZooKeeper) -> None:
    shell = ("zookeeper-shell", f"{zookeeper.connect}/k")
    assert pko(*shell, "get", "/controller_epoch").out.endswith("path:null\n5\n")
    assert pko(*shell, "get", "/nope")[::2] == (1, "Node does not exist: /nope\n")
    assert pko(*shell, "bogus").code == 127
    said = pko("zookeeper", "shell", "--zookeeper", zookeeper.connect, "ls", "-R", "/k/brokers/ids")
    assert (said.code, said.err) == (1, "Node does not exist: /k/brokers/ids\n")


def test_a_zookeeper_that_is_not_there_is_told_in_one_line() -> None:
    said = pko("zookeeper", "ls", "--zookeeper", "127.0.0.1:1")
    assert said.code == 3
    assert said.err.startswith("pko: no ZooKeeper at 127.0.0.1:1 lets us in within 4 s")
    assert said.err.count("\n") == 1


def test_a_wish_for_an_election_lies_where_the_controller_looks(
    zookeeper: ZooKeeper, tmp_path: Path
) -> None:
    where = ("--zookeeper", f"{zookeeper.connect}/k")
    said = pko("leader-election", "preferred", "t:0,1", *where, "-o", "csv")
    assert said.out.splitlines()[1:] == ["t,0,preferred,asked", "t,1,preferred,asked"]
    wish = "/admin/preferred_replica_election"
    wait_for(lambda: pko("zookeeper", "get", wish, *where).code == 0, what="the wish")
    said = pko("kafka-leader-election", "--zookeeper", f"{zookeeper.connect}/k")
    assert said.code == 1
    assert "currently in progress" in said.err
