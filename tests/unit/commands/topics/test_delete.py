from collections.abc import Callable
from typing import Any

from pykafka_ops.wire.messages.delete_topics import DeletableTopicResult, DeleteTopicsResponse
from tests.support.golden.transcripts import Said
from tests.support.memory.fake_broker import FakeBroker

Pko = Callable[..., Said]


def test_topics_are_deleted_after_yes(cluster: FakeBroker, pko: Pko) -> None:
    def deleted(request: Any) -> DeleteTopicsResponse:
        names = [t.name for t in request.topics]
        return DeleteTopicsResponse(responses=[DeletableTopicResult(name=n) for n in names])

    cluster.on("DeleteTopics", deleted)
    assert pko("topics delete orders --dry-run").stdout == "DELETED\norders\n"
    assert cluster.asked("DeleteTopics") == []
    assert pko("topics delete orders -y").stdout == "DELETED\norders\n"
    assert pko("kafka-topics --delete --topic orders").stdout == ""
    assert [t.name for t in cluster.asked("DeleteTopics")[1][1].topics] == ["orders"]


def test_a_refusal_in_kafkas_form_is_on_stdout(cluster: FakeBroker, pko: Pko) -> None:
    refused = DeletableTopicResult(name="orders", error_code=73)
    cluster.on("DeleteTopics", lambda r: DeleteTopicsResponse(responses=[refused]))
    said = pko("kafka-topics --delete --topic orders")
    assert (said.code, said.stdout) == (
        1,
        "Error while executing topic command : Topic deletion is disabled.\n",
    )
