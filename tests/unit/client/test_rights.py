"""Which right is lacking, in the words of who is refused."""

from importlib import import_module

import pytest

from pykafka_ops.client.answers import error_of
from pykafka_ops.client.failure_text import in_one_line, text_of
from pykafka_ops.client.rights import REFUSALS, RIGHTS
from pykafka_ops.commands.framework.output import ItemError
from pykafka_ops.wire.messages.create_topics import CreatableTopicResult
from pykafka_ops.wire.messages.describe_acls import DescribeAclsResponse
from pykafka_ops.wire.messages.describe_configs import DescribeConfigsResult
from pykafka_ops.wire.messages.metadata import MetadataResponseTopic


@pytest.mark.parametrize("api", RIGHTS)
def test_every_api_with_a_right_has_messages(api: str) -> None:
    assert import_module(f"pykafka_ops.wire.messages.{api}").__name__.endswith(api)


def test_every_refusal_of_kafka_is_one() -> None:
    assert {29, 30, 31, 53, 65} == REFUSALS


def test_a_refusal_names_the_right_in_our_words_and_keeps_kafkas() -> None:
    noise = "Request Request(processor=2, buffer=null) is not authorized."
    error = error_of(DescribeAclsResponse(error_code=31, error_message=noise))
    assert error is not None
    assert in_one_line(error) == (
        "not allowed: this login needs describe on the cluster [CLUSTER_AUTHORIZATION_FAILED]"
    )
    assert text_of(error) == noise
    assert ItemError.of("x", error).message == (
        "not allowed: this login needs describe on the cluster"
    )


def test_a_refusal_that_stands_alone_names_what_it_is_about() -> None:
    error = error_of(MetadataResponseTopic(error_code=29, name="orders"))
    assert error is not None
    lacks = "not allowed: this login needs describe on the topic"
    assert in_one_line(error) == f"orders: {lacks} [TOPIC_AUTHORIZATION_FAILED]"
    assert ItemError.of("orders", error).message == lacks


@pytest.mark.parametrize(
    ("code", "right"),
    [(29, "describe-configs on the topic"), (31, "describe-configs on the cluster")],
)
def test_a_right_is_that_of_the_resource_that_is_refused(code: int, right: str) -> None:
    error = error_of(DescribeConfigsResult(error_code=code, resource_name="x"))
    assert error is not None
    assert error.ours == f"not allowed: this login needs {right}"


def test_other_errors_are_told_as_the_broker_tells_them() -> None:
    error = error_of(CreatableTopicResult(name="t", error_code=36, error_message="there is one"))
    assert error is not None
    assert in_one_line(error) == "there is one [TOPIC_ALREADY_EXISTS]"
