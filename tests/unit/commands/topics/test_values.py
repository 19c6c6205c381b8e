import pytest

from pykafka_ops.commands.topics.values import (
    TopicProblem,
    parse_assignment,
    parse_configs,
    validate,
)
from pykafka_ops.errors import PkoError
from tests.support.raising import raises_nothing


def test_assignments_are_brokers_by_partition() -> None:
    assert parse_assignment("0:1,1:2") == {0: [0, 1], 1: [1, 2]}
    assert parse_assignment("3") == {0: [3]}
    assert parse_assignment("") == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0:0", "Partition replica lists may not contain duplicate entries: 0"),
        ("0:1,2", "Partition 1 has different replication factor: [2]"),
        ("a:b", 'For input string: "a"'),
        ("0,,1", 'For input string: ""'),
    ],
)
def test_wrong_assignments_are_told_as_kafka_does(text: str, message: str) -> None:
    with pytest.raises(TopicProblem) as caught:
        parse_assignment(text)
    assert str(caught.value) == message


def test_configs_are_pairs_and_values_may_hold_an_equals_sign() -> None:
    assert parse_configs(["a = 1", "b=c=d"]) == {"a": "1", "b": "c=d"}
    for wrong in ("a", "a=", "a= ", "b=c=d"):
        with pytest.raises(TopicProblem, match="all configs to be added must be in the format"):
            parse_configs([wrong], strict=True)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"no.such": "1"}, "Unknown topic config name: no.such"),
        ({"retention.ms": "x"}, "Invalid value x for configuration retention.ms: "
         "Not a number of type LONG"),
        ({"cleanup.policy": "shred"}, "Invalid value shred for configuration cleanup.policy: "
         "String must be one of: compact, delete"),
    ],
)  # fmt: skip
def test_settings_are_checked_before_a_broker_is_asked(
    settings: dict[str, str], message: str
) -> None:
    with pytest.raises(PkoError) as caught:
        validate(settings)
    assert str(caught.value) == message


def test_good_settings_pass() -> None:
    with raises_nothing():
        validate({"retention.ms": "1", "cleanup.policy": "compact,delete"})
