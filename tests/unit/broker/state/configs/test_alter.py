import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.broker.state.configs.alter import (
    Change,
    ConfigResourceType,
    Op,
    apply_changes,
    check_changes,
    describe_resource,
)
from pykafka_ops.errors import KafkaError
from pykafka_ops.settings.topic import TOPIC
from pykafka_ops.wire.codes import ErrorCode

POLICY = "cleanup.policy"


@pytest.mark.parametrize(
    ("held", "op", "value", "after"),
    [
        (None, Op.APPEND, "compact", "delete,compact"),
        ("delete,compact", Op.APPEND, "compact,delete", "delete,compact"),
        ("", Op.APPEND, "compact", "compact"),
        ("delete,compact", Op.SUBTRACT, "delete", "compact"),
        ("compact", Op.SUBTRACT, "compact", ""),
        (None, Op.SUBTRACT, "delete", ""),
        ("compact", Op.SET, "delete", "delete"),
        ("compact", Op.DELETE, None, None),
        (None, Op.DELETE, None, None),
    ],
)
def test_lists_are_changed_item_by_item(
    held: str | None, op: Op, value: str | None, after: str | None
) -> None:
    current = {} if held is None else {POLICY: held}
    result = apply_changes(current, [Change(POLICY, op, value)], TOPIC)
    assert result.get(POLICY) == after


@pytest.mark.parametrize(
    ("change", "code", "text"),
    [
        (
            Change("retention.ms", Op.APPEND, "5"),
            ErrorCode.INVALID_CONFIG,
            "Config value append is not allowed for config key: retention.ms",
        ),
        (
            Change("retention.ms", Op.SUBTRACT, "5"),
            ErrorCode.INVALID_CONFIG,
            "Config value subtract is not allowed for config key: retention.ms",
        ),
        (
            Change("no.such", Op.APPEND, "5"),
            ErrorCode.INVALID_CONFIG,
            "Unknown config name: no.such",
        ),
        (Change("a", 9, "5"), ErrorCode.INVALID_REQUEST, "Unknown operations type 9"),
    ],
)
def test_impossible_changes_are_refused(change: Change, code: ErrorCode, text: str) -> None:
    with pytest.raises(KafkaError) as caught:
        apply_changes({}, [change], TOPIC)
    assert (caught.value.code, caught.value.message) == (code, text)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        (
            [Change("a", Op.SET, "1"), Change("a", Op.DELETE, None)],
            "Error due to duplicate config keys",
        ),
        (
            [Change("a", Op.SET, None), Change("b", Op.APPEND, None), Change("c", Op.DELETE, None)],
            "Null value not supported for : a, b",
        ),
    ],
)
def test_malformed_changes_are_refused(changes: list[Change], text: str) -> None:
    with pytest.raises(KafkaError) as caught:
        check_changes(changes)
    assert (caught.value.code, caught.value.message) == (ErrorCode.INVALID_REQUEST, text)


def test_resources_are_named_as_in_kafka() -> None:
    assert (
        describe_resource(ConfigResourceType.TOPIC, "t") == "ConfigResource(type=TOPIC, name='t')"
    )
    assert ConfigResourceType.of(8) is ConfigResourceType.BROKER_LOGGER
    assert ConfigResourceType.of(99) is ConfigResourceType.UNKNOWN


@given(
    st.dictionaries(st.text(max_size=3), st.text(max_size=3)),
    st.dictionaries(st.text(max_size=3), st.text(max_size=3)),
)
def test_changes_touch_only_what_they_name(held: dict[str, str], asked: dict[str, str]) -> None:
    changes = [Change(k, Op.SET, v) for k, v in asked.items()]
    check_changes(changes)
    before = dict(held)
    assert apply_changes(held, changes, TOPIC) == held | asked
    assert held == before
