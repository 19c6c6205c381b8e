"""The same command lines through the tools of Apache Kafka 4 and through pko, on its broker: the
same words, the same exit codes. ``%`` in a line is a name of its own for each side."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.golden.transcripts import first_error, rows
from tests.support.golden.transcripts import run_patiently as run
from tests.support.process.apache_kraft import NEWEST, TOOLS_4, TOOLS_NEWEST, VERSION, KraftBroker
from tests.support.process.commands import KafkaTools

pytestmark = [pytest.mark.java, pytest.mark.slow, pytest.mark.timeout(600)]

LINES = {
    "kafka-topics": (
        "--list",
        "--describe --topic t1",
        "--describe --topic none",
        "--describe --topic none --if-exists",
        "--create --topic c-% --partitions 2",
        "--create --topic t1",
        "--create --topic t1 --if-not-exists",
        "--create --topic bad --replication-factor 3",
        "--create --topic a=b",
        "--create --topic x-% --config nonsense=1",
        "--create --topic y-% --config retention.ms=abc",
        "--alter --topic t2 --partitions 1",
        "--alter --topic c-% --partitions 4",
        "--alter --topic none --partitions 3",
        "--delete --topic c-%",
        "--delete --topic none",
        "--describe --topic t1 --under-replicated-partitions",
        "--describe --topic t1 --unavailable-partitions",
        "--describe --topic t1 --at-min-isr-partitions",
        "--list --describe",
        "--bogus",
    ),
    "kafka-get-offsets": (
        "--topic t1",
        "--topic t1 --time -1",
        "--topic t1 --time latest-tiered",
        "--topic t1 --time earliest-local",
        "--topic t1 --time earliest-pending-upload",
        "--topic t1 --time max-timestamp",
        "--topic none",
    ),
    "kafka-log-dirs": ("--describe --broker-list 0,7", "--describe --unavailable"),
    "kafka-configs": (
        "--describe --entity-type topics --entity-name t1",
        "--describe --entity-type topics --entity-name none",
        "--describe --entity-type brokers --entity-name 0",
        "--describe --entity-type brokers --entity-name 9",
        "--describe --entity-type brokers --entity-default",
        "--alter --entity-type topics --entity-name t2 --add-config retention.ms=5000",
        "--alter --entity-type topics --entity-name t2 --delete-config retention.ms",
        "--alter --entity-type topics --entity-name t2 --delete-config retention.ms",
        "--alter --entity-type topics --entity-name t2 --add-config foo=bar",
        "--alter --entity-type topics --entity-name none --add-config retention.ms=1",
        "--alter --entity-type users --entity-name u-% --add-config "
        "SCRAM-SHA-256=[iterations=8192,password=abc]",
        "--describe --entity-type users --entity-name u-%",
        "--alter --entity-type users --entity-name u-% --delete-config SCRAM-SHA-256",
        "--alter --entity-type users --entity-name u-% --add-config producer_byte_rate=1000",
        "--describe --user u-%",
        "--alter --entity-type brokers --entity-name 0 --add-config log.cleaner.threads=2",
        "--alter --entity-type brokers --entity-name 0 --delete-config log.cleaner.threads",
        "--alter --entity-type brokers --entity-name 0 --delete-config log.cleaner.threads",
        "--alter --entity-type brokers --entity-default --add-config log.cleaner.threads=1",
        "--alter --entity-type brokers --entity-name 0 --add-config advertised.listeners=x",
        "--alter --entity-type client-metrics --entity-name m-% --add-config interval.ms=10000",
        "--describe --entity-type client-metrics --entity-name m-%",
        "--describe --entity-type client-metrics --entity-name none",
        "--alter --entity-type ips --entity-name 1.2.3.4 --add-config connection_creation_rate=10",
        "--describe --entity-type ips --entity-name 1.2.3.4",
        "--alter --entity-type broker-loggers --entity-name 0 --add-config nosuch.logger=DEBUG",
        "--describe --alter",
    ),
    "kafka-acls": (
        "--add --allow-principal User:% --operation Read --topic t-%",
        "--add --allow-principal User:% --operation Read --topic t-%",
        "--add --allow-principal User:% --producer --topic p-% --transactional-id x-%",
        "--add --allow-principal User:% --operation Read --topic pre-% "
        "--resource-pattern-type prefixed",
        "--add --cluster --operation Alter --allow-principal User:%",
        "--list --topic t-%",
        "--list --topic pre-%x --resource-pattern-type match",
        "--list --principal User:%",
        "--list --topic nothing",
        "--remove --topic t-% --force",
        "--remove --allow-principal User:% --producer --topic p-% --force",
        "--remove --topic nothing --force",
        "--add --allow-principal bob --operation Read --topic t1",
        "--add",
        "--list --add",
    ),
    "kafka-consumer-groups": (
        "--reset-offsets --group g-% --topic t1 --to-earliest --execute",
        "--reset-offsets --group a-group-with-a-long-name --topic t2 --to-earliest --execute",
        "--reset-offsets --group g-% --topic t1 --to-latest --dry-run",
        "--reset-offsets --group g-% --topic t1:1 --to-latest --export --dry-run",
        "--describe --group g-%",
        "--describe --group g-% --offsets --verbose",
        "--describe --group g-% --state",
        "--describe --group g-% --state --verbose",
        "--describe --group g-% --members",
        "--describe --group g-% --members --verbose",
        "--describe --group none",
        "--delete-offsets --group g-% --topic t1:0",
        "--delete-offsets --group g-% --topic t1",
        "--delete-offsets --group g-% --topic t1:99",
        "--delete-offsets --group g-% --topic none",
        "--delete-offsets --group none --topic t1",
        "--delete --group none",
        "--delete --group none --group g-%",
        "--list --type foo",
    ),
    "kafka-leader-election": (
        "--election-type preferred --all-topic-partitions",
        "--election-type preferred --topic t1 --partition 0",
        "--election-type unclean --topic t1 --partition 9",
    ),
    "kafka-transactions": (
        "list",
        "list --transactional-id-pattern a.*",
        "list --transactional-id-pattern a(",
        "describe --transactional-id none",
        "describe-producers --topic t1 --partition 0",
        "find-hanging --broker-id 0",
    ),
    "kafka-delegation-tokens": ("--describe",),
    "kafka-reassign-partitions": (
        "--list",
        "--generate --topics-to-move-json-file moves.json --broker-list 0",
        "--execute --disallow-replication-factor-change --reassignment-json-file moves.json",
        "--verify --reassignment-json-file moves.json",
    ),
    "kafka-metadata-quorum": ("describe --status",),
    "kafka-broker-api-versions": ("",),
    "kafka-share-consumer-perf-test": (
        "--topic t1 --num-records 0 --group g-%",
        "--topic t1 --num-records 0 --group g-% --threads 2 --show-consumer-stats",
        "--topic t1 --messages 0 --group g-% --hide-header",
        "--topic none-% --num-records 0 --hide-header",
        "--topic 'a b' --num-records 5 --hide-header",
        "--topic t1",
        "--num-records 5",
        "--topic t1 --num-records 5 --messages 6",
        "--topic t1 --num-records x --hide-header",
        "--topic t1 --num-records 5 --date-format q --hide-header",
        "--topic t1 --num-records 5 --fetch-size -5 --hide-header",
        "--topic t1 --num-records 5 --socket-buffer-size -5 --hide-header",
        "--topic t1 --num-records 5 --group '' --hide-header",
        "--topic t1 --num-records 5 --command-property isolation.level=x --hide-header",
        "--topic t1 --num-records 5 --command-config no-such --hide-header",
        "--bogus",
    ),
    "kafka-streams-application-reset": (
        "--application-id a-%",
        "--application-id a-% --dry-run",
        "--application-id a-% --input-topics t1,none --to-offset 7 --dry-run",
        "--application-id a-% --input-topics t1 --intermediate-topics t2",
        "--application-id a-% --input-topics t1 --to-latest",
        "--application-id a-% --input-topics t1 --shift-by -5",
        "--application-id a-% --input-topics t1 --to-datetime 2040-01-01T00:00:00.000",
        "--application-id a-% --input-topics t1 --to-datetime 2040",
        "--application-id a-% --input-topics t1 --by-duration P1D",
        "--application-id a-% --input-topics t1 --by-duration x",
        "--application-id a-% --input-topics t1 --from-file no-such",
        "--application-id a-% --input-topics none",
        "--application-id a-% --internal-topics none",
        "--application-id a-% --config-file no-such",
        "--application-id a-% --command-config no-such",
        "--application-id a-% --to-latest --to-earliest",
        "--application-id a-% --to-offset x --input-topics t1",
        "--input-topics t1",
        "--bogus",
    ),
    "kafka-replica-verification": (
        "--fetch-size 5",
        "--broker-list xx",
        "--broker-list HERE --topics-include (",
        "--broker-list HERE --time x",
        "--bogus",
    ),
    "kafka-cluster": ("cluster-id @", "list-endpoints @", "unregister --id 9 @"),
}
AT = "@"
"""Where a tool wants to hear of the brokers, if that is not the beginning of the line."""
_BLANKS = re.compile(r" +")
"""The names of both sides are not equally long."""
_USABLE = re.compile(r" \[usable: \d+\]")
"""Each client has newest versions of its own."""
_TIMES = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[:,]\d{3}|(?<=, )\d{1,5}$")
"""Of performance tests."""
_CHANGES = re.compile(r"^(MaxFollowerLag|HighWatermark|LeaderEpoch|CurrentVoters).*")


@pytest.fixture(scope="module", params=[VERSION, NEWEST])
def kraft(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[KraftBroker]:
    broker = KraftBroker(tmp_path_factory.mktemp("kraft") / "data", version=request.param)
    try:
        broker.start()
        for name, partitions in (("t1", "3"), ("t2", "1")):
            said = run("topics", "create", name, "-p", partitions, "-b", broker.bootstrap)
            assert said.code == 0, said.stderr
        moves_file(broker).write_text(
            '{"version": 1, "topics": [{"topic": "t1"}], "partitions": [{"topic": "t1", '
            '"partition": 0, "replicas": [0]}]}'
        )
        yield broker
    finally:
        broker.close()


@pytest.fixture(scope="module")
def tools(kraft: KraftBroker) -> Iterator[KafkaTools]:
    made = KafkaTools(kraft.version, TOOLS_4 if kraft.version == VERSION else TOOLS_NEWEST)
    yield made
    made.close()


def moves_file(broker: KraftBroker) -> Path:
    return broker.data_dir.with_name("moves.json")


def argv_of(tool: str, line: str, broker: KraftBroker) -> list[str]:
    moves = moves_file(broker)
    words = [str(moves) if word == moves.name else word for word in shlex.split(line)]
    reach = ["--bootstrap-server", broker.bootstrap]
    if tool == "kafka-replica-verification":  # it knows brokers by another name
        return [word.replace("HERE", broker.bootstrap) for word in words]
    if AT not in words:
        return [*reach, *words]
    at = words.index(AT)
    return [*words[:at], *reach, *words[at + 1 :]]


def comparable(text: str, side: str) -> list[str]:
    """Rows in an order of their own, as Java's sets have one that differs from run to run, with
    one blank between cells; without what is never the same twice, and stack traces."""
    lines = [_CHANGES.sub(r"\1", _TIMES.sub("T", _USABLE.sub("", _BLANKS.sub(" ", row)))).strip()
             for row in text.replace(side, "%").split("\n")]  # fmt: skip
    return rows("\n".join(line for line in lines if line and not line.startswith("at ")))


@pytest.mark.parametrize("tool", LINES)
def test_both_say_the_same(kraft: KraftBroker, tools: KafkaTools, tool: str) -> None:
    wrong = []
    for line in LINES[tool]:
        argv = argv_of(tool, line, kraft)
        theirs = tools(tool, *(word.replace("%", "theirs") for word in argv))
        ours = run(tool, *(word.replace("%", "ours") for word in argv))
        pair = comparable(ours.stdout, "ours"), comparable(theirs.out, "theirs")
        if ours.code != theirs.code or pair[0] != pair[1]:
            wrong.append(f"{tool} {line}: {ours.code}, not {theirs.code}: {pair}")
        elif theirs.code and not theirs.out:
            pair = first_error(ours.stderr), first_error(theirs.err)
            if pair[0].replace("ours", "%") != pair[1].replace("theirs", "%"):
                wrong.append(f"{tool} {line}: {pair}")
    assert not wrong, "\n".join(wrong)
