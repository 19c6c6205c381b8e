"""The same command lines through Apache Kafka's tools and through pko: same rows, same words."""

from __future__ import annotations

import json
import shlex

import pytest

from tests.support.golden.transcripts import first_error, rows
from tests.support.golden.transcripts import run_patiently as run
from tests.support.process.apache import ApacheBroker
from tests.support.process.commands import KafkaTools

pytestmark = [pytest.mark.java, pytest.mark.slow]

TOPICS = (
    "-list",
    "-describe -topic sbs-a",
    "--list=yes",
    "--topic=sbs-a --describe",
    "--describe --topic=",
    "--list --topic sbs-(a|b)",
    "--list --topic sbs-a --topic sbs-b",
    "--list --topic (",
    "--list --list",
    "--create --topic sbs-x --partitions 1 --partitions 2",
    "--create --topic sbs-x --partitions 99999999999",
    "--create --topic sbs-x --replica-assignment 0,",
    "--create --topic sbs-x --config a=b=c",
    "--create --topic sbs-x --config retention.ms=",
    "--create --topic sbs-a --dry-runs",
    "-x",
    "-lx",
    "--li",
    "-- --list",
    "--describe --topic-id 00000000000000000000",
    "--describe --topic-id AAAAAAAAAAAAAAAAAAAAAA --topic sbs-a",
    "--describe --topic-id aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "--describe --unavailable-partitions --topic sbs-a --exclude-internal",
    "--delete --topic sbs-none --if-exists",
    "--alter --topic sbs-a --partitions x",
    "--command-config nowhere.properties --list",
)
OFFSETS = (
    "--topic sbs-a --partitions 0,",
    "--topic sbs-a --partitions",
    "--topic sbs-a --partitions 0 --partitions 1",
    "--topic sbs-a --time 1.5",
    "--topic-partitions sbs-a:0,sbs-b",
    "--topic-partitions sbs-a:1-0",
    "--topic ' sbs-a '",
    "--topic (",
    "-topic sbs-a -time -2",
)
LOG_DIRS = (
    "--describe --broker-list 0,0 --topic-list sbs-a,sbs-none",
    "--describe --broker-list 0;1",
    "--describe --topic-list a --topic-list b",
)
LINES = (
    [("kafka-topics", line) for line in TOPICS]
    + [("kafka-get-offsets", line) for line in OFFSETS]
    + [("kafka-log-dirs", line) for line in LOG_DIRS]
)


@pytest.fixture(scope="module", autouse=True)
def _two_topics(apache_session: ApacheBroker) -> None:
    for name in ("sbs-a", "sbs-b"):
        said = run("topics", "create", name, "-p", "2", "-b", apache_session.bootstrap)
        assert said.code == 0


def comparable(text: str) -> list[str]:
    """Rows in an order of their own; JSON with its lists sorted."""
    found = []
    for line in rows(text.replace("sbs-theirs", "sbs-ours")):
        if line.startswith('{"brokers"'):
            data = json.loads(line)
            for directory in (d for b in data["brokers"] for d in b["logDirs"]):
                directory["partitions"].sort(key=lambda p: p["partition"])
            line = json.dumps(data)
        found.append(line)
    return found


@pytest.mark.parametrize(("tool", "line"), LINES, ids=[f"{t} {x}" for t, x in LINES])
def test_both_say_the_same(
    apache: ApacheBroker, kafka_tools: KafkaTools, tool: str, line: str
) -> None:
    argv = ["--bootstrap-server", apache.bootstrap, *shlex.split(line)]
    theirs = kafka_tools(tool, *(word.replace("sbs-x", "sbs-theirs") for word in argv))
    ours = run(tool, *(word.replace("sbs-x", "sbs-ours") for word in argv))
    assert comparable(ours.stdout) == comparable(theirs.out)
    assert ours.code == theirs.code
    if theirs.code and not theirs.out:
        assert first_error(ours.stderr) == first_error(theirs.err)
