"""What Confluent's rules call the same beans."""

from __future__ import annotations

from pykafka_ops.metrics.dialects import CONFLUENT, STRIMZI, translated
from pykafka_ops.metrics.family import Book, Labels, MetricKind
from pykafka_ops.metrics.text import write


def book() -> Book:
    made = Book()
    topics = "kafka.server:BrokerTopicMetrics:MessagesInPerSec"
    made.bean(topics, "In", MetricKind.COUNTER).add(7, Labels(topic="t"))
    waits = made.bean("kafka.server:DelayedOperationPurgatory:PurgatorySize", "Waits")
    waits.add(2, Labels(delayedOperation="Fetch"))
    sockets = made.bean("kafka.server:socket-server-metrics::connection-count", "Connections")
    sockets.add(3, Labels(listener="PLAINTEXT", networkProcessor=0))
    made.bean(
        "kafka.server:KafkaRequestHandlerPool:RequestHandlerAvgIdlePercent:OneMinuteRate", "Idle"
    ).add(0.5)
    made.plain("kafka_server_quota_byte_rate", "Bytes").add(
        9, Labels(resource="Fetch", user="u", clientId="c")
    )
    made.plain("kafka_server_socket_server_metrics_connections_software", "Clients").add(
        4, Labels(clientSoftwareName="librdkafka", networkProcessor=0)
    )
    made.plain("pko_x", "X").add(1, Labels(someKey="v"))
    return made


def lines(*dialects: str) -> set[str]:
    text = "".join(write(translated(book(), dialects)))
    return {line for line in text.splitlines() if line[0] != "#"}


def test_the_usual_names_alone_are_as_they_are() -> None:
    assert lines(STRIMZI) == set("".join(write(book())).splitlines()) - {
        line for line in "".join(write(book())).splitlines() if line[0] == "#"
    }


def test_confluents_names_stand_beside_the_usual_ones() -> None:
    more = lines(STRIMZI, CONFLUENT) - lines(STRIMZI)
    purgatory = "kafka_server_delayedoperationpurgatory_purgatorysize"
    assert more == {
        'kafka_server_brokertopicmetrics_messagesinpersec{topic="t"} 7',
        f'{purgatory}{{delayedOperation="Fetch",delayedoperation="Fetch"}} 2',
        'kafka_server_socketservermetrics_connection_count{listener="PLAINTEXT",'
        'network_processor="0"} 3',
        "kafka_server_kafkarequesthandlerpool_requesthandleravgidlepercent_total 0.5",
        "kafka_server_socketservermetrics_connections{"
        'client_software_name="librdkafka",network_processor="0"} 4',
        'kafka_server_fetch_byte_rate{user="u",client_id="c"} 9',
    }


def test_no_value_comes_twice_under_one_name() -> None:
    names = [line.partition("{")[0] for line in lines(STRIMZI, CONFLUENT)]
    assert len(names) == len(set(names))
