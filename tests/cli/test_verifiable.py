"""kafka-verifiable-producer and kafka-verifiable-consumer on a broker."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import Broker
from tests.support.golden.transcripts import run_patiently as run

pytestmark = pytest.mark.live


def events(broker: Broker, name: str, words: str) -> list[dict[str, Any]]:
    said = run(name, "--bootstrap-server", broker.bootstrap, *words.split())
    assert said.code == 0, said
    found: list[dict[str, Any]] = [json.loads(line) for line in said.stdout.splitlines()]
    assert all(list(event)[:2] == ["timestamp", "name"] for event in found)
    return found


def test_what_one_writes_the_other_reads(broker: Broker, topic: str) -> None:
    assert run("topics", "create", topic, "-b", broker.bootstrap).code == 0
    words = f"--topic {topic} --max-messages 5 --value-prefix 3 --repeating-keys 2"
    written = events(broker, "kafka-verifiable-producer", words)
    assert [e["name"] for e in written] == [
        "startup_complete", *["producer_send_success"] * 5, "shutdown_complete", "tool_data",
    ]  # fmt: skip
    sent = [(e["key"], e["value"], e["offset"]) for e in written[1:6]]
    assert sent == [(str(n % 2), f"3.{n}", n) for n in range(5)]
    assert (written[-1]["sent"], written[-1]["acked"]) == (5, 5)
    read = events(broker, "kafka-verifiable-consumer",
                  f"--topic {topic} --group-id of-{topic} --max-messages 5 --verbose")  # fmt: skip
    assert [(e["key"], e["value"], e["offset"]) for e in read if e["name"] == "record_data"] == sent
    (commit, *_) = [e for e in read if e["name"] == "offsets_committed"][::-1]
    assert (commit["success"], commit["offsets"][0]["offset"]) == (True, 5)
    assert [e["name"] for e in read[:2]] == ["startup_complete", "partitions_assigned"]
    assert [e["name"] for e in read[-3:]] == [
        "partitions_revoked", "shutdown_complete", "shutdown_requested",
    ]  # fmt: skip


def test_a_topic_that_cannot_be_is_an_event(broker: Broker) -> None:
    said = run("kafka-verifiable-producer", "--bootstrap-server", broker.bootstrap, "--topic",
               "a b", "--max-messages", "1")  # fmt: skip
    failed = json.loads(said.stdout.splitlines()[1])
    assert (said.code, failed["name"], failed["value"]) == (0, "producer_send_error", "0")
    assert failed["exception"] == "class org.apache.kafka.common.errors.InvalidTopicException"
