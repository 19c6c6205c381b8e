"""What Prometheus reads, by Prometheus' own parsers."""

from __future__ import annotations

import json

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_open
from prometheus_client.parser import text_string_to_metric_families as parse

from pykafka_ops.metrics.family import Book, Buckets, Labels, MetricKind, Times
from pykafka_ops.metrics.text import LINES, Format, bean_name, name_of, write

HOSTILE = 'a"b\\c\nd<script>'


@pytest.fixture
def book() -> Book:
    book = Book()
    book.bean("kafka.server:ReplicaManager:LeaderCount", "Leaders").add(3)
    counter = book.bean("kafka.server:BrokerTopicMetrics:BytesInPerSec", "In", MetricKind.COUNTER)
    counter.add(10)
    counter.add(7, Labels(topic="t"))
    times = Times((("0.5", 1.5), ("0.99", 2.0)), 4, 6.5)
    book.bean("kafka.network:RequestMetrics:TotalTimeMs", "Time", MetricKind.SUMMARY).add(
        times, Labels(request="Fetch")
    )
    buckets = Buckets((("0.1", 2), ("1", 3)), 4, 9.5)
    book.plain("pko_h", "Spread", MetricKind.HISTOGRAM).add(buckets, Labels(part="x"))
    book.plain("pko_x", "What \\ is\nthis").add(0.25, Labels(client=HOSTILE))
    book.plain("pko_y", "Not known").add(None)
    return book


@pytest.mark.parametrize("form", [Format.TEXT, Format.OPEN], ids=["text", "openmetrics"])
def test_prometheus_reads_it(book: Book, form: Format) -> None:
    text = "".join(write(book, form))
    families = list((parse_open if form is Format.OPEN else parse)(text))
    found = {(s.name, *s.labels.items()): s.value for f in families for s in f.samples}
    assert found == {
        ("kafka_server_replicamanager_leadercount",): 3,
        ("kafka_server_brokertopicmetrics_bytesin_total",): 10,
        ("kafka_server_brokertopicmetrics_bytesin_total", ("topic", "t")): 7,
        (
            "kafka_network_requestmetrics_totaltimems",
            ("request", "Fetch"),
            ("quantile", "0.5"),
        ): 1.5,
        ("kafka_network_requestmetrics_totaltimems", ("request", "Fetch"), ("quantile", "0.99")): 2,
        ("kafka_network_requestmetrics_totaltimems_sum", ("request", "Fetch")): 6.5,
        ("kafka_network_requestmetrics_totaltimems_count", ("request", "Fetch")): 4,
        ("pko_h_bucket", ("part", "x"), ("le", "0.1")): 2,
        ("pko_h_bucket", ("part", "x"), ("le", "1")): 3,
        ("pko_h_bucket", ("part", "x"), ("le", "+Inf")): 4,
        ("pko_h_sum", ("part", "x")): 9.5,
        ("pko_h_count", ("part", "x")): 4,
        ("pko_x", ("client", HOSTILE)): 0.25,
    }
    kinds = {family.name: family.type for family in families}
    assert kinds["kafka_server_brokertopicmetrics_bytesin"] == "counter"
    assert kinds["kafka_network_requestmetrics_totaltimems"] == "summary"


def test_json_names_the_attributes_of_beans(book: Book) -> None:
    rows = json.loads("".join(write(book, Format.JSON)))
    bean = "kafka.network:type=RequestMetrics,name=TotalTimeMs,request=Fetch"
    times = [(r["attribute"], r["value"]) for r in rows if r["bean"] == bean]
    assert times == [("50thPercentile", 1.5), ("99thPercentile", 2.0), ("Count", 4)]
    (one,) = [r for r in rows if r["metric"] == "kafka_server_replicamanager_leadercount"]
    assert one == {
        "metric": "kafka_server_replicamanager_leadercount",
        "labels": {},
        "value": 3,
        "bean": "kafka.server:type=ReplicaManager,name=LeaderCount",
        "attribute": "Value",
    }
    (other,) = [r for r in rows if r["metric"] == "pko_x"]
    assert (other["labels"], other["bean"]) == ({"client": HOSTILE}, None)


@pytest.mark.parametrize("count", [0, 1, LINES - 1, LINES, LINES + 1, 2 * LINES])
def test_json_is_whole_however_many_there_are(count: int) -> None:
    book = Book()
    for n in range(count):
        book.plain("x", "X").add(n, Labels(n=n))
    rows = json.loads("".join(write(book, Format.JSON)))
    assert [row["value"] for row in rows] == list(range(count))


def test_many_lines_come_in_pieces() -> None:
    book = Book()
    for n in range(3 * LINES):
        book.plain(f"x{n % 3}", "X").add(n, Labels(n=n))
    pieces = list(write(book))
    assert len(pieces) > 2
    assert all(piece.endswith("\n") for piece in pieces)
    assert sum(len(f.samples) for f in parse("".join(pieces))) == 3 * LINES


@pytest.mark.parametrize(
    ("bean", "kind", "name"),
    [
        ("kafka.server:BrokerTopicMetrics:MessagesInPerSec", MetricKind.COUNTER,
         "kafka_server_brokertopicmetrics_messagesin"),
        ("kafka.server:KafkaRequestHandlerPool:RequestHandlerAvgIdlePercent", MetricKind.GAUGE,
         "kafka_server_kafkarequesthandlerpool_requesthandleravgidle_percent"),
        ("kafka.server:KafkaServer:linux-disk-read-bytes", MetricKind.GAUGE,
         "kafka_server_kafkaserver_linux_disk_read_bytes"),
        ("kafka.server:socket-server-metrics::connection-count", MetricKind.GAUGE,
         "kafka_server_socket_server_metrics_connection_count"),
        ("kafka.coordinator.group:GroupMetadataManager:NumGroups", MetricKind.GAUGE,
         "kafka_coordinator_group_groupmetadatamanager_numgroups"),
    ],
)  # fmt: skip
def test_names_are_those_of_dashboards(bean: str, kind: MetricKind, name: str) -> None:
    family = Book().bean(bean, "")
    assert name_of(family) == name
    assert bean_name(family.bean) == name
