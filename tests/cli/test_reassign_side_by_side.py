"""The same reassignment files to Kafka's tool and to pko: same words, same exit codes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.cluster.apache_cluster import Brokers
from tests.support.golden.transcripts import error_of, first_error
from tests.support.golden.transcripts import run_patiently as run
from tests.support.process.commands import KafkaTools
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.java, pytest.mark.slow]
TOOL = "kafka-reassign-partitions"
TOPIC = "reassign-sbs"


def moves(*items: object, **fields: object) -> str:
    return json.dumps({"partitions": list(items), **fields})


def item(*replicas: object, **fields: object) -> dict[str, object]:
    return {"topic": TOPIC, "partition": 0, "replicas": list(replicas), **fields}


def to_move(*items: object, **fields: object) -> str:
    return json.dumps({"topics": list(items), **fields})


DOCUMENTS = (
    " ",
    "null",
    "7",
    '"text"',
    "{}",
    '{"partitions": null}',
    '{"partitions": {}}',
    moves(version=None),
    moves(version="1"),
    moves(version=1.0),
    moves(version=4294967297),
    moves(None),
    moves("orders-0"),
    moves({}),
    moves({"topic": TOPIC}),
    moves({"topic": TOPIC, "partition": 0}),
    moves(item(topic=7)),
    moves(item(topic=None)),
    moves(item(partition="0")),
    moves(item(partition=True)),
    moves(item(partition=2147483648)),
    moves(item(replicas="1,2")),
    moves(item("1")),
    moves(item(0, log_dirs=None)),
    moves(item(0, log_dirs="any")),
    moves(item(0, log_dirs=[7])),
    moves(item(0, 1, log_dirs=["any"])),
    moves(item(0, 1), item(1), item(partition=1), item(partition=1)),
    moves(item(0, 0, 1, 1), item(2, 2, partition=1)),
    moves(item(0, topic="a\u00e9")),
    moves(item(0, topic="")),
    moves(item(0, topic="no such topic")),
    moves(item(0), item(0, partition=99)),
    moves(item(-1)),
    moves(item(7, 2, 8)),
    moves(item(0, log_dirs=["/no/such/dir"])),
    moves(item(0, more=1), version=1, more={}),
)
REFUSED = (
    "",
    "[]",
    moves(version=2),
    moves(item(0, 0), item(0)),
    moves(item()),
    moves(item(0, 1, log_dirs=["any"])),
    moves(item(0, topic="none")),
    moves(item(0, partition=99)),
)
"""By execute; verify and cancel go further."""
TOPIC_FILES = (
    "",
    " ",
    "{",
    "[]",
    "{}",
    to_move(),
    to_move(version=0),
    to_move({"topic": TOPIC}, {"topic": TOPIC}),
    to_move({}),
    to_move(TOPIC),
    to_move({"topic": 1}),
    to_move({"topic": ""}),
    to_move({"topic": "none"}),
    '{"topics": 1}',
)
BROKER_LISTS = ("", "a", "0,,1", "0,1,", ",", " 0", "+0,1", "0,0,1,1", "99", "2147483648", "0 1")
LINES = (
    "",
    "--list --additional",
    "--list --list",
    "--execute --generate",
    "--execute --timeout 5",
    "--execute --reassignment-json-file F --reassignment-json-file F",
    "--execute --reassignment-json-file F --preserve-throttles",
    "--execute --reassignment-json-file F --throttle 1.5",
    "--execute --reassignment-json-file F --throttle",
    "--execute --reassignment-json-file F --timeout soon",
    "--execute --reassignment-json-file F --replica-alter-log-dirs-throttle 1k",
    "--verify --reassignment-json-file F --additional",
    "--verify --reassignment-json-file .",
    "--cancel --reassignment-json-file F --throttle 7",
    "--generate --topics-to-move-json-file F --broker-list 0 --broker-list 1",
    "--generate --topics-to-move-json-file F --broker-list 0 --reassignment-json-file F",
    "--list --command-config nowhere.properties",
    "--list --bootstrap-controller localhost:1",
    "list",
)


@pytest.fixture(scope="module", autouse=True)
def _topic(apache_cluster_session: Brokers) -> Iterator[None]:
    brokers = apache_cluster_session
    words = ("--create", "--topic", TOPIC, "--replica-assignment", "0,1")
    assert run("kafka-topics", "--bootstrap-server", brokers.bootstrap, *words).code == 0
    brokers.wait_live(0, 1, 2)
    yield
    run("topics", "delete", TOPIC, "--yes", "-b", brokers.bootstrap)


class Both:
    """Asks both tools; ``wrong`` has what they answer differently."""

    def __init__(self, brokers: Brokers, tools: KafkaTools, directory: Path) -> None:
        self.brokers, self.tools = brokers, tools
        self.file = directory / "file.json"
        self.wrong: list[str] = []

    def ask(self, *words: str, document: str | None = None) -> None:
        if document is not None:
            self.file.write_text(document)
        argv = ("--bootstrap-server", self.brokers.bootstrap, *words)
        theirs = self.tools(TOOL, *argv)
        moving = "--execute" in words
        if moving and theirs.code == 0:
            self.brokers.settle(TOPIC)
        ours = run(TOOL, *argv)
        if moving and ours.code == 0:
            self.brokers.settle(TOPIC)
        got = (ours.code, error_of(ours.stdout), first_error(ours.stderr))
        true = (theirs.code, error_of(theirs.out), first_error(theirs.err))
        if not alike(got, true):
            self.wrong.append(f"{words} {document}\n  got  {got}\n  want {true}")

    def settings(self, *, throttled: int) -> list[str]:
        """Settings of the topic and of the brokers, once so many are about throttling."""

        def heard() -> list[str]:
            asked = [("--topic", TOPIC), *(("--broker", str(id_)) for id_ in range(3))]
            words = ("--bootstrap-server", self.brokers.bootstrap, "--describe")
            return [run("kafka-configs", *words, *entity).stdout for entity in asked]

        return wait_for(
            lambda: found if "".join(found := heard()).count(" synonyms=") == throttled else [],
            what=f"{throttled} settings",
            poll=0.1,
        )


Answer = tuple[int, list[str], str]


def alike(got: Answer, true: Answer) -> bool:
    """The same, but for what Kafka's tool has in a stack trace: class names, and reasons."""
    (code, lines, error), (true_code, true_lines, true_error) = got, true
    if true_lines and true_lines[-1].startswith(("Error: Failed to alter", "Error: Unable to")):
        true_lines = [*true_lines[:-1], *lines[-1:]] if lines[-1].startswith(true_lines[-1]) else []
    if true_lines:
        return (code, lines) == (true_code, true_lines)
    return (code, lines, error) == (true_code, [], true_error.rpartition("Exception: ")[2])


@pytest.fixture
def both(apache_cluster: Brokers, kafka_tools: KafkaTools, tmp_path: Path) -> Both:
    return Both(apache_cluster, kafka_tools, tmp_path)


def test_moves_are_read_alike(both: Both) -> None:
    for text in DOCUMENTS:
        both.ask("--execute", "--reassignment-json-file", str(both.file), document=text)
    for text in REFUSED:
        both.ask("--verify", "--reassignment-json-file", str(both.file), document=text)
        both.ask("--cancel", "--reassignment-json-file", str(both.file), document=text)
    assert not both.wrong, "\n".join(both.wrong)


def test_topics_to_move_are_read_alike(both: Both) -> None:
    words = ("--generate", "--topics-to-move-json-file", str(both.file), "--broker-list")
    for text in TOPIC_FILES:
        both.ask(*words, "0,1", document=text)
    for ids in BROKER_LISTS:
        both.ask(*words, ids, document=to_move({"topic": "none"}))
    assert not both.wrong, "\n".join(both.wrong)


def test_command_lines_are_read_alike(
    both: Both, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    both.file.write_text("{}")
    for line in LINES:
        both.ask(*(str(both.file) if word == "F" else word for word in line.split()))
    assert not both.wrong, "\n".join(both.wrong)


def test_throttles_are_the_same(both: Both) -> None:
    """Both in turn start the same move with both throttles; settings are equal, then gone."""
    where = ("--bootstrap-server", both.brokers.bootstrap)
    words = (*where, "--reassignment-json-file", str(both.file))
    rates = ("--throttle", "10000000", "--replica-alter-log-dirs-throttle", "20000000")
    there, back = moves(item(1, 2)), moves(item(0, 1))
    target = moves(item(1, 2, log_dirs=["any", both.brokers.log_dirs(2)[0]]))
    found = []

    def theirs(action: str, *more: str) -> str:
        return both.tools(TOOL, *words, action, *more).out

    def ours(action: str, *more: str) -> str:
        return run(TOOL, *words, action, *more).stdout

    for ask in (theirs, ours):
        both.file.write_text(back)
        ours("--execute")
        both.brokers.settle(TOPIC)
        both.file.write_text(target)
        said = [ask("--execute", *rates), both.settings(throttled=9)]
        both.brokers.settle(TOPIC)
        both.file.write_text(there)
        said += [ask("--verify"), both.settings(throttled=0)]
        found.append(said)
    assert found[0] == found[1]
