from collections.abc import Callable
from typing import Any

from pykafka_ops.wire.messages.create_partitions import (
    CreatePartitionsResponse,
    CreatePartitionsTopicResult,
)
from pykafka_ops.wire.messages.incremental_alter_configs import (
    AlterConfigsResourceResponse,
    IncrementalAlterConfigsResponse,
)
from tests.support.golden.transcripts import Said
from tests.support.memory.fake_broker import FakeBroker

Pko = Callable[..., Said]

GROWN = """TOPIC   SETTING     OLD  NEW
orders  a           -    1
orders  b           -    -
orders  partitions  3    5
"""


def test_topics_grow_and_change_their_settings(cluster: FakeBroker, pko: Pko) -> None:
    def grown(request: Any) -> CreatePartitionsResponse:
        results = [CreatePartitionsTopicResult(name=t.name) for t in request.topics]
        return CreatePartitionsResponse(results=results)

    def altered(request: Any) -> IncrementalAlterConfigsResponse:
        responses = [
            AlterConfigsResourceResponse(
                resource_type=r.resource_type, resource_name=r.resource_name
            )
            for r in request.resources
        ]
        return IncrementalAlterConfigsResponse(responses=responses)

    for fake in cluster.peers:
        fake.on("CreatePartitions", grown).on("IncrementalAlterConfigs", altered)
    said = pko("topics alter orders -p 5 -c a=1 --delete-config b")
    assert (said.code, said.stdout) == (0, GROWN)
    assert cluster.asked("CreatePartitions")[0][1].topics[0].count == 5
    asked = [r for f in cluster.peers for _, r in f.asked("IncrementalAlterConfigs")]
    assert [(c.name, c.config_operation, c.value) for c in asked[0].resources[0].configs] == [
        ("a", 0, "1"),
        ("b", 1, None),
    ]
    assert pko("kafka-topics --alter --topic orders --partitions 6").stdout == ""
    assert pko("topics alter orders").code == 2


def test_an_assignment_for_growth_names_the_new_partitions_only(
    cluster: FakeBroker, pko: Pko
) -> None:
    cluster.on("CreatePartitions", lambda r: CreatePartitionsResponse())
    pko("kafka-topics --alter --topic orders --partitions 5 --replica-assignment 0,0,0,1,0")
    topic = cluster.asked("CreatePartitions")[0][1].topics[0]
    assert [a.broker_ids for a in topic.assignments] == [[1], [0]]
