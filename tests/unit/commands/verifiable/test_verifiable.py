"""kafka-verifiable-producer and kafka-verifiable-consumer: their flags, as Kafka 4.3.1 words it."""

from __future__ import annotations

import pytest

from tests.support.golden.transcripts import run

PRODUCER = """\
usage: verifiable-producer [-h] --topic TOPIC [--max-messages MAX-MESSAGES]
                           [--throughput THROUGHPUT] [--acks ACKS]
                           [--producer.config CONFIG-FILE]
                           [--message-create-time CREATE-TIME]
                           [--value-prefix VALUE-PREFIX]
                           [--repeating-keys REPEATING-KEYS]
                           [--command-config CONFIG-FILE]
                           --bootstrap-server HOST1:PORT1[,HOST2:PORT2[...]]
verifiable-producer: """
CONSUMER = """\
usage: verifiable-consumer [-h] --topic TOPIC
                           [--group-protocol GROUP-PROTOCOL]
                           [--group-remote-assignor GROUP-REMOTE-ASSIGNOR]
                           --group-id GROUP-ID
                           [--group-instance-id GROUP-INSTANCE-ID]
                           [--max-messages MAX-MESSAGES]
                           [--session-timeout TIMEOUT-MS] [--verbose]
                           [--enable-autocommit]
                           [--reset-policy RESET-POLICY]
                           [--assignment-strategy ASSIGNMENT-STRATEGY]
                           [--consumer.config CONFIG-FILE]
                           [--command-config CONFIG-FILE]
                           --bootstrap-server HOST1:PORT1[,HOST2:PORT2[...]]
verifiable-consumer: """


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("kafka-verifiable-producer --bootstrap-server x:1 --topic t --acks 5",
         f"{PRODUCER}error: argument  --acks:  invalid  choice: '5' (choose\nfrom {{0,1,-1}})\n"),
        ("kafka-verifiable-producer --bootstrap-server x:1",
         f"{PRODUCER}error: argument --topic is required\n"),
        ("kafka-verifiable-consumer --topic t --group-id g",
         f"{CONSUMER}error: argument --bootstrap-server is required\n"),
    ],
)  # fmt: skip
def test_complaints_are_kafkas(monkeypatch: pytest.MonkeyPatch, line: str, text: str) -> None:
    monkeypatch.delenv("PKO_BOOTSTRAP_SERVER", raising=False)
    said = run(*line.split())
    assert (said.code, said.stderr, said.stdout) == (1, text, "")


@pytest.mark.parametrize("name", ["connect-standalone", "connect-mirror-maker.sh", "trogdor"])
def test_tools_that_only_java_has_are_told_in_one_line(name: str) -> None:
    said = run(name, "whatever", "--it=is")
    assert (said.code, said.stdout) == (1, "")
    assert said.stderr.startswith(f"pko: {name} ") and said.stderr.count("\n") == 1
