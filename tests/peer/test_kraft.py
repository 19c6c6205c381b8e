"""What only Apache Kafka 4 without ZooKeeper has: groups of every kind, through one broker."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.process.apache_kraft import KraftBroker
from tests.support.process.console import pko
from tests.support.process.streams import word_count
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.java, pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def kraft(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KraftBroker]:
    broker = KraftBroker(tmp_path_factory.mktemp("kraft") / "data")
    try:
        yield broker.start()
    finally:
        broker.close()


class Desk:
    """Asks ``pko`` about the broker."""

    def __init__(self, kraft: KraftBroker, home: Path) -> None:
        self.kraft, self.env = kraft, {"XDG_STATE_HOME": str(home)}

    def ask(self, *words: str, text: str = "") -> subprocess.CompletedProcess[bytes]:
        return pko(*words, "-b", self.kraft.bootstrap, text=text, env=self.env)

    def items(self, *words: str) -> list[dict[str, Any]]:
        said = self.ask(*words, "-o", "json")
        assert said.returncode == 0, said.stderr
        found: list[dict[str, Any]] = json.loads(said.stdout)["items"]
        return found

    def fails_on(self, condition: str) -> tuple[int, str]:
        """Exit code and words of ``lag --all`` with it."""
        said = self.ask("groups", "lag", "--all", "--fail-on", condition)
        return said.returncode, said.stderr.decode()

    def topic(self, name: str, partitions: int, count: int) -> None:
        assert self.ask("topics", "create", name, "-p", str(partitions)).returncode == 0
        self.write(name, count)

    def says_the_same(self, tool: str, main: str, *words: str) -> None:
        """As Kafka's tool of the broker's release, word for word, with the same exit code."""
        theirs = self.kraft.tool(main, "--bootstrap-server", self.kraft.bootstrap, *words)
        ours = pko(tool, "--bootstrap-server", self.kraft.bootstrap, *words)
        assert (ours.stdout.decode(), ours.returncode) == (theirs.stdout, theirs.returncode)

    def write(self, topic: str, count: int) -> None:
        lines = "".join(f"word-{n % 7}\n" for n in range(count))
        assert self.ask("produce", topic, text=lines).returncode == 0


@pytest.fixture
def desk(kraft: KraftBroker, tmp_path: Path) -> Desk:
    return Desk(kraft, tmp_path)


def begin_at_the_first_record(desk: Desk, group: str) -> None:
    said = desk.ask("configs", "set", "groups", group, "share.auto.offset.reset=earliest")
    assert said.returncode == 0, said.stderr


def test_a_share_group_is_seen_watched_moved_and_deleted(desk: Desk, kraft: KraftBroker) -> None:
    begin_at_the_first_record(desk, "sharing")
    desk.topic("orders", 1, 60)
    kraft.tool("consumer.ConsoleShareConsumer", "--bootstrap-server", kraft.bootstrap,
               "--topic", "orders", "--group", "sharing", "--max-messages", "60")  # fmt: skip
    (row,) = desk.items("groups", "lag", "sharing", "--partitions")
    start = row["current_offset"]  # need not be at the end although all is done with
    assert (row["topic"], row["log_end_offset"], row["lag"]) == ("orders", 60, 0)
    assert desk.fails_on("lag>50")[0] == 0
    desk.write("orders", 70)
    code, said = desk.fails_on("lag>50")
    assert (code, "group sharing: lag 70" in said) == (4, True), said

    assert [g["type"] for g in desk.items("groups", "list", "--type", "share")] == ["Share"]
    desk.says_the_same("kafka-groups", "GroupsCommand", "--list")
    share = ("kafka-share-groups", "consumer.group.ShareGroupCommand")
    desk.says_the_same(*share, "--describe", "--group", "sharing", "--verbose")
    desk.says_the_same("kafka-consumer-groups", "consumer.group.ConsumerGroupCommand",
                       "--describe", "--group", "nobody")  # fmt: skip
    desk.says_the_same(*share, "--reset-offsets", "--dry-run", "--group", "sharing", "--all-topics",
                       "--to-datetime", "2040-01-01T00:00:00.000")  # fmt: skip
    moved = desk.ask("groups", "seek", "sharing", "--to-offset", "100", "--yes")
    assert (moved.returncode, b"done" in moved.stderr) == (0, True), moved.stderr
    (row,) = desk.items("groups", "describe", "sharing")
    assert (row["current_offset"], row["log_end_offset"], row["lag"]) == (100, 130, 30)
    assert desk.ask("groups", "seek", "sharing", "--undo", "--yes").returncode == 0
    assert [r["current_offset"] for r in desk.items("groups", "describe", "sharing")] == [start]
    forgot = desk.ask("groups", "delete-offsets", "sharing", "--topic", "orders", "--yes")
    assert forgot.returncode == 0, forgot.stderr
    code, said = desk.fails_on("lag>50")
    assert (code, "group sharing: lag unknown" in said) == (4, True), said
    assert desk.ask("groups", "delete", "sharing", "--yes").returncode == 0
    assert "sharing" not in [g["group"] for g in desk.items("groups", "list")]


def test_members_of_ours_and_of_kafkas_share_a_group(desk: Desk, kraft: KraftBroker) -> None:
    begin_at_the_first_record(desk, "turns")
    desk.topic("taken", 1, 40)
    form = ("--format", "%o\\n")
    first = desk.ask("consume", "taken", "--share", "turns", "-n", "10", *form)
    looked = desk.ask("consume", "taken", "--share", "turns", "-n", "5", "--acknowledge", "release",
                      *form)  # fmt: skip
    shown = ("--bootstrap-server", kraft.bootstrap, "--topic", "taken", "--group", "turns",
             "--formatter-property", "print.offset=true",
             "--formatter-property", "print.value=false")  # fmt: skip
    theirs = kraft.tool("consumer.ConsoleShareConsumer", *shown, "--max-messages", "12")
    last = pko("kafka-console-share-consumer", *shown, "--max-messages", "18")
    assert [first.returncode, looked.returncode, last.returncode] == [0, 0, 0]
    assert looked.stdout.decode().split() == [str(n) for n in range(10, 15)]
    told = [*(f"Offset:{n}" for n in first.stdout.decode().split()), *theirs.stdout.split(),
            *last.stdout.decode().split()]  # fmt: skip
    assert told == [f"Offset:{n}" for n in range(40)]
    wait_for(lambda: [r["lag"] for r in desk.items("groups", "describe", "turns")] == [0],
             what="the group to be done")  # fmt: skip
    assert desk.ask("groups", "delete", "turns", "--yes").returncode == 0


def test_performance_tests_of_ours_and_of_kafkas_share_a_group(
    desk: Desk, kraft: KraftBroker
) -> None:
    begin_at_the_first_record(desk, "paces")
    desk.topic("paced", 2, 3000)
    words = ("--bootstrap-server", kraft.bootstrap, "--topic", "paced", "--group", "paces",
             "--hide-header", "--num-records")  # fmt: skip
    ours = pko("kafka-share-consumer-perf-test", *words, "1500", "--threads", "2")
    theirs = kraft.tool("ShareConsumerPerformance", *words, "1")
    rest = pko("kafka-share-consumer-perf-test", *words, "6000", "--timeout", "1000")
    assert [ours.returncode, theirs.returncode, rest.returncode] == [0, 0, 0], theirs.stderr
    lines = [ours.stdout.decode(), theirs.stdout, rest.stdout.decode()]
    read = [int(text.splitlines()[-1].split(", ")[5]) for text in lines]
    assert 1500 <= read[0] < 3000 and read[1] >= 1 and sum(read) == 3000, lines
    assert b"acknowledged" not in ours.stderr + rest.stderr
    assert desk.ask("groups", "delete", "paces", "--yes").returncode == 0


def test_a_stalled_streams_application_is_caught(
    desk: Desk, kraft: KraftBroker, tmp_path: Path
) -> None:
    desk.topic("words", 1, 60)
    assert desk.ask("topics", "create", "counts", "-p", "1").returncode == 0
    with word_count(kraft, tmp_path, "counting", "words", "counts") as process:
        wait_for(
            lambda: (
                process.poll() is None
                and bool(desk.items("groups", "list", "--type", "streams"))
                and desk.fails_on("lag>0")[0] == 0
            ),
            what="the application to have read everything",
            about=lambda: (tmp_path / "streams.log").read_text(),
        )
        parts = desk.items("groups", "describe", "counting", "--topology")
        assert [(p["subtopology"], p["sources"]) for p in parts] == [("0", ["words"]), ("1", [])]
        (member,) = desk.items("groups", "describe", "counting", "--members")
        assert member["tasks"] == ["0_0", "1_0"]
        desk.says_the_same("kafka-streams-groups", "streams.StreamsGroupCommand", "--describe",
                           "--all-groups", "--members", "--verbose")  # fmt: skip
        refused = desk.ask("groups", "seek", "counting", "--to-earliest", "--yes")
        assert (refused.returncode, b"done" in refused.stderr) == (1, False), refused.stderr
        process.kill()
        process.wait(120)
    desk.write("words", 500)
    code, said = desk.fails_on("lag>400")
    assert (code, "group counting: lag 500" in said) == (4, True), said


def test_the_quorum_in_both_forms_is_that_of_kafkas_tool(desk: Desk, kraft: KraftBroker) -> None:
    theirs = kraft.tool("MetadataQuorumCommand", "--bootstrap-server", kraft.bootstrap,
                        "describe", "--status").stdout.splitlines()  # fmt: skip
    for server in (("--bootstrap-server", kraft.bootstrap),
                   ("--bootstrap-controller", f"127.0.0.1:{kraft.controller_port}")):  # fmt: skip
        said = pko("kafka-metadata-quorum", *server, "describe", "--status")
        ours = said.stdout.decode().splitlines()
        moving = [n for n, line in enumerate(theirs) if line.startswith("HighWatermark")]
        assert [line for n, line in enumerate(ours) if n not in moving] == [
            line for n, line in enumerate(theirs) if n not in moving
        ], said.stderr
    (row,) = desk.items("quorum", "status")
    assert (row["leader"], row["voters"], row["max_follower_lag"]) == (0, [0], 0)
    (facts,) = desk.items("cluster", "status")
    assert (facts["controller"], facts["fenced"]) == (0, [])


def without_epochs(text: str) -> str:
    """The epoch is the end of the metadata log, which never stands still."""
    return re.sub(r"Epoch: \d+", "Epoch: ", text)


@pytest.mark.parametrize(
    "words",
    [
        "describe",
        "upgrade --dry-run --release-version 4.3",
        "downgrade --metadata 3.9",
        "disable --feature streams.version --dry-run",
    ],
)
def test_features_are_told_and_changed_as_by_kafkas_tool(kraft: KraftBroker, words: str) -> None:
    said = ("--bootstrap-server", kraft.bootstrap, *words.split())
    theirs = kraft.tool("FeatureCommand", *said)
    ours = pko("kafka-features", *said)
    assert without_epochs(ours.stdout.decode()) == without_epochs(theirs.stdout)
    heard = [line for line in theirs.stderr.splitlines() if not line.startswith("log4j:")]
    assert (ours.stderr.decode().splitlines(), ours.returncode) == (heard, theirs.returncode)


def test_a_controller_to_add_is_read_and_refused_as_by_kafkas_tool(kraft: KraftBroker) -> None:
    """The quorum's voters are in the settings, so that none can be added."""
    config = str(kraft.data_dir.parent / f"{kraft.data_dir.name}.properties")
    said = ("--bootstrap-server", kraft.bootstrap, "--command-config", config, "add-controller")
    theirs = kraft.tool("MetadataQuorumCommand", *said, "--dry-run")
    ours = pko("kafka-metadata-quorum", *said, "--dry-run")
    assert (ours.stdout.decode(), ours.stderr, ours.returncode) == (theirs.stdout, b"", 0)
    refused = pko("kafka-metadata-quorum", *said)
    assert (refused.returncode, b"the kraft.version feature is 0" in refused.stderr) == (1, True)


def test_files_of_the_metadata_log_tell_what_brokers_tell(
    desk: Desk, kraft: KraftBroker, tmp_path: Path
) -> None:
    assert desk.ask("topics", "create", "kept", "-p", "2").returncode == 0
    (topic,) = desk.items("topics", "describe", "kept")
    shutil.copytree(kraft.data_dir / "__cluster_metadata-0", tmp_path / "__cluster_metadata-0")
    said = pko("quorum", "snapshot", str(tmp_path), "-o", "json")
    tree = json.loads(said.stdout)["items"][0]
    assert tree["topics"]["byName"]["kept"]["partitions"].keys() == {"0", "1"}
    assert said.stderr == b""
    levels = {f["feature"]: f["level"] for f in desk.items("features", "list")}
    found = {n: v for n, v in tree["features"].items() if n != "metadataVersion"}
    assert found == {n: v for n, v in levels.items() if v}
    changes = pko("quorum", "diff", str(tmp_path), "-o", "json")
    paths = {i["path"] for i in json.loads(changes.stdout)["items"]}
    assert "/topics/byName/kept" in paths and topic


def test_client_metrics_in_both_forms_are_those_of_kafkas_tool(
    desk: Desk, kraft: KraftBroker
) -> None:
    at = ("--bootstrap-server", kraft.bootstrap)
    made = pko("kafka-client-metrics", *at, "--alter", "--name", "one", "--interval", "5000",
               "--match", "client_id=x,client_software_name=y", "--metrics", "a.,b")  # fmt: skip
    assert made.stdout == b"Altered client metrics config for one.\n", made.stderr
    for words in (("--list",), ("--describe",)):
        theirs = kraft.tool("ClientMetricsCommand", *at, *words)
        assert pko("kafka-client-metrics", *at, *words).stdout.decode() == theirs.stdout
    (row,) = desk.items("client-metrics", "describe")
    assert (row["interval_ms"], row["metrics"]) == (5000, ["a.", "b"])
    assert desk.ask("client-metrics", "delete", "one", "--yes").returncode == 0
    assert desk.items("client-metrics", "list") == []
