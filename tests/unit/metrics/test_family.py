"""How metrics are named as MBeans, and their labels."""

from __future__ import annotations

import pytest

from pykafka_ops.metrics.family import Bean, Book, Labels, MetricKind


def test_a_bean_is_written_as_java_does() -> None:
    leaders = Bean.parse("kafka.server:ReplicaManager:LeaderCount", MetricKind.GAUGE)
    assert leaders.text(Labels()) == "kafka.server:type=ReplicaManager,name=LeaderCount"
    assert leaders.attribute == "Value"
    size = Bean.parse("kafka.log:Log:Size", MetricKind.GAUGE)
    labels = Labels(topic="a.b", partition=3)
    assert size.text(labels) == "kafka.log:type=Log,name=Size,topic=a.b,partition=3"
    count = Bean.parse("kafka.server:socket-server-metrics::connection-count", MetricKind.GAUGE)
    assert count.text(Labels(listener="A")) == "kafka.server:type=socket-server-metrics,listener=A"
    assert count.attribute == "connection-count"
    assert Bean.parse("kafka.server:X:YPerSec", MetricKind.COUNTER).attribute == "Count"


@pytest.mark.parametrize(
    ("value", "text"),
    [("a,b", '"a,b"'), ('a"*?\\b', '"a\\"\\*\\?\\\\b"'), ("a\nb", '"a\\nb"'), ("a=b", '"a=b"')],
)
def test_values_that_would_end_a_key_are_quoted(value: str, text: str) -> None:
    bean = Bean.parse("d:T:N", MetricKind.GAUGE)
    assert bean.text(Labels(user=value)) == f"d:type=T,name=N,user={text}"


def test_labels_are_escaped() -> None:
    assert Labels().text == ""
    assert Labels(topic="t", partition=0).text == '{topic="t",partition="0"}'
    assert Labels(user='a"b\\c\nd').text == '{user="a\\"b\\\\c\\nd"}'


def test_what_is_unknown_is_not_told() -> None:
    book = Book()
    book.plain("a", "A").add(None)
    book.plain("b", "B").add(0)
    book.plain("b", "B").add(1, Labels(x=1))
    (family,) = book
    assert [(labels.text, value) for labels, value in family.samples] == [("", 0), ('{x="1"}', 1)]
