"""Apache Kafka's own tool takes the document that a plan of moves makes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pykafka_ops.analysis.moves.model import PlanBroker, PlanPartition
from pykafka_ops.analysis.moves.plan import plan_moves, reassignment
from tests.support.process.apache import ApacheBroker
from tests.support.process.commands import KafkaTools

pytestmark = [pytest.mark.java, pytest.mark.slow]


def test_the_tool_executes_and_verifies_the_document(
    apache: ApacheBroker, kafka_tools: KafkaTools, topic: str, tmp_path: Path
) -> None:
    server = ("--bootstrap-server", apache.bootstrap)
    made = kafka_tools("kafka-topics", *server, "--create", "--topic", topic, "--partitions", "2")
    assert made.code == 0, made
    # A replica on a broker that is gone goes to the only one there is.
    plan = plan_moves([PlanPartition(topic, 1, (99,), 10)], [PlanBroker(0)])
    assert plan.after == {(topic, 1): (0,)}
    file = tmp_path / "moves.json"
    file.write_text(json.dumps(reassignment(plan.after)))
    for action, said in (("--execute", "Successfully started"), ("--verify", "is completed")):
        words = (*server, "--reassignment-json-file", str(file), action)
        done = kafka_tools("kafka-reassign-partitions", *words)
        assert done.code == 0 and said in done.out, done
