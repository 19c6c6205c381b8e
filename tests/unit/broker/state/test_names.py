"""Topic names are judged as Kafka does, in its words."""

from __future__ import annotations

import pytest

from pykafka_ops.broker.state import names
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from tests.support.raising import raises_nothing


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("", "the empty string is not allowed"),
        (".", "'.' is not allowed"),
        ("..", "'..' is not allowed"),
        ("x" * 250, f"the length of '{'x' * 250}' is longer than the max allowed length 249"),
        (
            "bad name!",
            "'bad name!' contains one or more characters other than ASCII alphanumerics,"
            " '.', '_' and '-'",
        ),
        (
            "x\n",
            "'x\n' contains one or more characters other than ASCII alphanumerics,"
            " '.', '_' and '-'",
        ),
        (
            "ü",
            "'ü' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'",
        ),
    ],
)
def test_bad_names(name: str, problem: str) -> None:
    with pytest.raises(KafkaError) as caught:
        names.check_name(name)
    assert caught.value.code == ErrorCode.INVALID_TOPIC_EXCEPTION
    assert caught.value.message == f"Topic name is invalid: {problem}"


@pytest.mark.parametrize("name", ["a", "A.b_c-9", "...", "x" * 249, "__consumer_offsets"])
def test_good_names(name: str) -> None:
    with raises_nothing():
        names.check_name(name)


def test_dots_and_underscores_collide() -> None:
    assert names.metric_name("a_b_c") == names.metric_name("a.b_c") != names.metric_name("a-b.c")
    assert [names.has_collision_chars(n) for n in ("a.b", "a_b", "a-b")] == [True, True, False]


def test_internal_topics() -> None:
    assert names.is_internal("__consumer_offsets")
    assert names.is_internal("__transaction_state")
    assert not names.is_internal("__cluster_metadata")
    assert not names.is_internal("orders")
