"""The same command to our broker and to Apache Kafka, by pko and by Kafka's own tools: same rows.

A scenario is a list of commands in order. It runs four times, each time on a topic of its own:
{pko, Kafka's tool} x {our broker, Apache Kafka}. The last of the four is the truth.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support.process.apache import ApacheBroker
from tests.support.process.broker import BrokerProcess
from tests.support.process.commands import KafkaTools, Said, pko

pytestmark = [pytest.mark.java, pytest.mark.slow]
Tool = Callable[..., Said]
Transcript = list[tuple[str, int, list[str], str]]


class Step(NamedTuple):
    """One command; ``{T}`` in its words is the topic, ``{D}`` a directory.

    ``until``, ``gone``: brokers apply what was set before in the background; ask again until the
    one is there and the other is not.
    """

    tool: str
    words: str
    text: str = ""
    unordered: bool = True
    until: str = ""
    gone: str = "\0"


RECORDS = "".join(f"key{i}:value {i} of many\n" for i in range(200))
PER_PARTITION = (64, 75, 61)
"""As the keys have it."""
TOPICS = [
    Step("kafka-topics", "--list --topic {T}.*"),
    Step("kafka-topics", "--create --topic {T} --partitions 3 --config retention.ms=86400000"),
    Step("kafka-topics", "--create --topic {T}"),
    Step("kafka-topics", "--create --topic {T} --if-not-exists"),
    Step("kafka-topics", "--list --topic {T}.*"),
    Step("kafka-topics", "--describe --topic {T}"),
    Step("kafka-topics", "--alter --topic {T} --partitions 5"),
    Step("kafka-topics", "--describe --topic {T}"),
    Step("kafka-topics", "--alter --topic {T} --partitions 2"),
    Step("kafka-topics", "--alter --topic {T} --partitions 5"),
    Step("kafka-topics", "--describe --topic {T}-none"),
    Step("kafka-topics", "--describe --topic {T}-none --if-exists"),
    Step("kafka-topics", "--create --topic {T}/bad"),
    Step("kafka-topics", "--create --topic {T}-x --partitions 0"),
    Step("kafka-topics", "--create --topic {T}-x --replication-factor 2"),
    Step("kafka-topics", "--create --topic {T}-x --config segment.bytes=few"),
    Step("kafka-topics", "--create --topic {T}-x --config no.such=1"),
    Step("kafka-topics", "--create --topic {T}-x --replica-assignment 0,0,0"),
    Step("kafka-topics", "--describe --topic {T}.* --topics-with-overrides"),
    Step("kafka-topics", "--describe --topic {T}.* --under-replicated-partitions"),
    Step("kafka-topics", "--describe --topic {T}.* --unavailable-partitions"),
    Step("kafka-topics", "--describe --topic {T}.* --at-min-isr-partitions"),
    Step("kafka-topics", "--delete --topic {T}-none"),
    Step("kafka-topics", "--delete --topic {T}-x"),
    Step("kafka-topics", "--delete --topic {T}"),
]
RECORD_STEPS = [
    Step("kafka-topics", "--create --topic {T} --partitions 3"),
    Step(
        "kafka-console-producer",
        "--topic {T} --property parse.key=true --property key.separator=:",
        RECORDS,
    ),
    Step("kafka-get-offsets", "--topic {T}"),
    Step("kafka-get-offsets", "--topic {T} --time earliest"),
    Step("kafka-get-offsets", "--topic {T} --time max-timestamp --partitions 7"),
    Step("kafka-get-offsets", "--topic {T} --time 0"),
    Step("kafka-get-offsets", "--topic {T} --time 99999999999999"),
    Step("kafka-get-offsets", "--topic-partitions {T}:1-3"),
    Step("kafka-get-offsets", "--topic {T}-none"),
    Step("kafka-get-offsets", "--topic {T} --time soon"),
    *(
        Step(
            "kafka-console-consumer",
            f"--topic {{T}} --partition {p} --offset earliest --max-messages {count} "
            "--property print.key=true --property print.offset=true",
            unordered=False,
        )
        for p, count in enumerate(PER_PARTITION)
    ),
    Step("kafka-console-consumer", "--topic {T} --partition 0 --offset 5 --max-messages 3"),
    Step("kafka-delete-records", "--offset-json-file {D}/delete.json"),
    Step("kafka-get-offsets", "--topic {T} --time -2"),
    Step("kafka-log-dirs", "--describe --topic-list {T}"),
    Step("kafka-log-dirs", "--describe --broker-list 0,9"),
]
CONFIG_STEPS = [
    Step("kafka-topics", "--create --topic {T} --config cleanup.policy=compact"),
    Step("kafka-configs", "--describe --entity-type topics --entity-name {T}"),
    Step("kafka-configs", "--describe --entity-type topics --entity-name {T} --all"),
    Step(
        "kafka-configs",
        "--alter --topic {T} --add-config retention.ms=5000,cleanup.policy=[delete,compact]",
    ),
    Step("kafka-configs", "--describe --topic {T}"),
    Step("kafka-configs", "--alter --topic {T} --add-config retention.ms=never"),
    Step("kafka-configs", "--alter --topic {T} --add-config no.such=1"),
    Step("kafka-configs", "--alter --topic {T} --delete-config retention.ms"),
    Step("kafka-configs", "--alter --topic {T} --delete-config flush.ms"),
    Step("kafka-configs", "--describe --topic {T}"),
    Step("kafka-configs", "--describe --topic {T}-none"),
    Step("kafka-configs", "--alter --broker 0 --add-config log.cleaner.threads=2"),
    Step("kafka-configs", "--describe --broker 0", until="  log.cleaner.threads=2 "),
    Step("kafka-configs", "--alter --broker 0 --add-config log.cleaner.threads=none"),
    Step("kafka-configs", "--alter --broker 0 --add-config broker.id=7"),
    Step("kafka-configs", "--alter --broker 0 --delete-config log.cleaner.threads"),
    Step("kafka-configs", "--alter --broker-defaults --add-config message.max.bytes=900000"),
    Step("kafka-configs", "--describe --broker-defaults", until="  message.max.bytes=900000 "),
    Step("kafka-configs", "--describe --topic {T} --all", until="  max.message.bytes=900000 "),
    Step("kafka-configs", "--alter --broker-defaults --delete-config message.max.bytes"),
    Step("kafka-configs", "--describe --broker-defaults", gone="  message.max.bytes="),
]
QUOTA_STEPS = [
    Step("kafka-configs", f"{action} {words}")
    for action, words in (
        ("--alter", "--user {T} --add-config producer_byte_rate=1048576,request_percentage=12.5"),
        ("--alter", "--user {T} --client {T}-c --add-config consumer_byte_rate=2048"),
        ("--alter", "--user {T} --client-defaults --add-config controller_mutation_rate=1e6"),
        ("--alter", "--user {T} --add-config producer_byte_rate=0.5"),
        ("--alter", "--user {T} --add-config SCRAM-SHA-256=[iterations=8192,password=s]"),
        ("--alter", "--user {T} --delete-config SCRAM-SHA-512"),
        ("--describe", "--user {T}"),
        ("--describe", "--user {T} --client {T}-c"),
        ("--describe", "--user {T} --entity-type clients"),
        ("--alter", "--ip 10.9.9.9 --add-config connection_creation_rate=100"),
        ("--describe", "--ip 10.9.9.9"),
        ("--alter", "--ip 10.9.9.9 --delete-config connection_creation_rate"),
        ("--alter", "--user {T} --delete-config SCRAM-SHA-256"),
        ("--alter", "--user {T} --delete-config producer_byte_rate,request_percentage"),
        ("--alter", "--user {T} --client {T}-c --delete-config consumer_byte_rate"),
        ("--alter", "--user {T} --client-defaults --delete-config controller_mutation_rate"),
        ("--describe", "--user {T}"),
    )
]
SCENARIOS = {
    "topics": TOPICS,
    "records": RECORD_STEPS,
    "configs": CONFIG_STEPS,
    "quotas": QUOTA_STEPS,
}


def plain(said: Said, topic: str, broker: Any) -> Said:
    """Names and numbers that differ from run to run, made equal."""
    out = said.out.replace(topic, "T").replace(broker.bootstrap, "B")
    out = out.replace(str(broker.data_dir), "DIR")
    out = re.sub(r"TopicId: [\w-]{22}", "TopicId: I", out)
    out = re.sub(r'"size":[1-9]\d*', '"size":N', out)
    return said._replace(out=out)


def lines(said: Said, step: Step) -> list[str]:
    found = said.out.splitlines()
    if not step.unordered:
        return found
    # one-line lists in hash order, too: settings of a topic, partitions in JSON
    return sorted("".join(sorted(re.split(r"[,\t {}\[\]]", line))) for line in found)


def transcript(
    steps: list[Step], tool: Tool, broker: Any, topic: str, directory: Path
) -> Transcript:
    directory.mkdir()
    partitions = [
        {"topic": topic, "partition": p, "offset": o} for p, o in ((0, 3), (1, -1), (2, 9999))
    ]
    (directory / "delete.json").write_text(json.dumps({"partitions": partitions, "version": 1}))
    found = []
    for step in steps:
        words = [w.format(T=topic, D=directory) for w in step.words.split(" ")]
        said = _answer(tool, step, "--bootstrap-server", broker.bootstrap, *words)
        said = plain(said, topic, broker)
        found.append(
            (f"{step.tool} {step.words}", said.code, lines(said, step), said.out + said.err)
        )
    return found


def _answer(tool: Tool, step: Step, *words: str) -> Said:
    said = tool(step.tool, *words, text=step.text)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and (step.until not in said.out or step.gone in said.out):
        said = tool(step.tool, *words, text=step.text)
    return said


def pko_tool(tool: str, *words: str, text: str = "") -> Said:
    return pko(tool, *words, text=text)


@pytest.fixture(params=SCENARIOS)
def scenario(request: pytest.FixtureRequest) -> list[Step]:
    return SCENARIOS[request.param]


def differences(got: Transcript, truth: Transcript) -> list[str]:
    found = []
    for (command, code, rows, text), (_, true_code, true_rows, true_text) in zip(
        got, truth, strict=True
    ):
        if code != true_code:
            found.append(f"{command}\n  exit code {code}, Kafka {true_code}\n{text[-1500:]}")
        elif rows != true_rows:
            found.append(f"{command}\n--- got\n{text[-3000:]}\n--- Kafka\n{true_text[-3000:]}")
    return found


_truths: dict[int, Transcript] = {}


@pytest.fixture
def truth(
    scenario: list[Step], kafka_tools: KafkaTools, apache: ApacheBroker, topic: str, tmp_path: Path
) -> Transcript:
    """What Kafka's tools say about Apache Kafka, asked once per scenario."""
    if id(scenario) not in _truths:
        found = transcript(scenario, kafka_tools, apache, f"{topic}-k", tmp_path / "truth")
        _truths[id(scenario)] = found
    return _truths[id(scenario)]


def test_pko_sees_in_apache_kafka_what_kafkas_tools_see(
    apache: ApacheBroker, topic: str, tmp_path: Path, scenario: list[Step], truth: Transcript
) -> None:
    got = transcript(scenario, pko_tool, apache, f"{topic}-p", tmp_path / "pko")
    found = differences(got, truth)
    assert not found, "\n\n".join(found)


def test_pko_sees_the_same_in_our_broker(
    pko_session: BrokerProcess, topic: str, tmp_path: Path, scenario: list[Step], truth: Transcript
) -> None:
    got = transcript(scenario, pko_tool, pko_session, f"{topic}-o", tmp_path / "ours")
    found = differences(got, truth)
    assert not found, "\n\n".join(found)


def test_kafkas_tools_see_the_same_in_our_broker(
    pko_session: BrokerProcess,
    kafka_tools: KafkaTools,
    topic: str,
    tmp_path: Path,
    scenario: list[Step],
    truth: Transcript,
) -> None:
    got = transcript(scenario, kafka_tools, pko_session, f"{topic}-j", tmp_path / "java")
    found = differences(got, truth)
    assert not found, "\n\n".join(found)


def test_our_broker_announces_exactly_what_kafka_does(
    pko_session: BrokerProcess, apache: ApacheBroker, kafka_tools: KafkaTools
) -> None:
    def heard(tool: Tool, broker: Any) -> str:
        said = tool("kafka-broker-api-versions", "--bootstrap-server", broker.bootstrap)
        assert said.code == 0, said.err
        return said.out.partition(" -> ")[2]

    theirs = heard(kafka_tools, apache)
    assert heard(kafka_tools, pko_session) == theirs
    assert heard(pko_tool, apache) == theirs
    assert heard(pko_tool, pko_session) == theirs
