"""Reassignment files. Kafka's words for more of them: tests/cli/test_reassign_side_by_side.py."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.commands.reassign_partitions import document
from pykafka_ops.commands.reassign_partitions.document import DocumentError
from pykafka_ops.errors import PkoError


def wanted(*items: object, **fields: object) -> document.WantedReplicas:
    return document.plan_of(json.dumps({"partitions": items, **fields}))


def error(call: object, *arguments: object) -> str:
    assert callable(call)
    with pytest.raises(PkoError) as caught:
        call(*arguments)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_replicas_and_directories_are_read() -> None:
    found = wanted(
        {"topic": "t", "partition": 3, "replicas": [2, 1], "log_dirs": ["any", "/b"]},
        {"topic": "t", "partition": 0, "replicas": [1]},
        version=1,
    )
    assert found.replicas == {("t", 3): [2, 1], ("t", 0): [1]}
    assert found.dirs == {("t", 3, 1): "/b"}


def test_what_is_written_is_one_line_by_topic_and_number() -> None:
    text = document.text_of({("t", 10): [1], ("t", 9): [2, 1], ("a", 0): [0]})
    assert text.startswith('{"version":1,"partitions":[{"topic":"a","partition":0,"replicas":[0],')
    assert document.plan_of(text).replicas == {("a", 0): [0], ("t", 9): [2, 1], ("t", 10): [1]}


def test_verify_and_cancel_take_what_execute_refuses() -> None:
    double = '{"partitions": [{"topic": "t", "partition": 0, "replicas": [1, 1]}]}'
    assert document.wanted_of(double).replicas == {("t", 0): [1, 1]}
    assert document.wanted_of('{"version": 1}').partitions == []
    assert error(document.plan_of, double) == (
        "Partition replica lists may not contain duplicate entries: t-0 contains multiple entries "
        "for 1"
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "The input string shouldn't be empty"),
        ("{nope", "The input string is not a valid JSON: Expecting property name"),
        ("{} x", "The input string is not a valid JSON: Extra data"),
        ('{"version": NaN}', "The input string is not a valid JSON: NaN is not a number"),
        ("[" * 100_000, "The input string is not a valid JSON: it is too deep"),
        ('{"version": 2}', "Not supported version field value 2"),
        ('{"version": ' + "9" * 5000 + "}", "The input string is not a valid JSON"),
        ('{"partitions": "\\ud800"}', 'Expected JSON array, received "\\ud800"'),
        ('{"partitions": [{"topic": "\\ud800"}]}', '"\\ud800" is no Unicode text'),
        ("\ufeff{}", "The input string is not a valid JSON"),
    ],
)
def test_a_broken_file_is_told_in_one_line(text: str, words: str) -> None:
    assert error(document.plan_of, text).startswith(words)


def test_topics_come_once() -> None:
    topics = '{"topics": [{"topic": "b"}, {"topic": "a"}], "version": 1}'
    assert document.topics_of(topics) == ["b", "a"]
    assert error(document.topics_of, topics.replace('"a"', '"b"')) == (
        "List of topics to reassign contains duplicate entries: [b]"
    )
    assert error(document.topics_of, "") == "The input string is not a valid JSON"


def test_brokers_are_java_integers() -> None:
    assert document.broker_list("1,+0,") == [1, 0]
    assert error(document.broker_list, "1, 0") == 'For input string: " 0"'
    assert error(document.broker_list, "3,1,3,1") == (
        "Broker list contains duplicate entries: [1, 3]"
    )


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    missing = str(tmp_path / "none")
    assert error(document.read_file, missing) == f"Unable to read file {missing}"
    assert error(document.read_file, str(tmp_path)).endswith(": Is a directory")


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["topics", "partitions", "version", "topic", "partition", "replicas",
                         "log_dirs"]), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(_json)
def test_any_json_is_understood_or_refused(value: object) -> None:
    for read in (document.plan_of, document.wanted_of, document.topics_of):
        try:
            read(json.dumps(value))
        except DocumentError as e:
            assert str(e).encode()
