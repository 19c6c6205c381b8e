"""One Spark session for all tests here: starting it costs seconds and a core."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from pykafka_ops.spark.conf import JAVA_OPTIONS
from pykafka_ops.spark.engines import local_session
from tests.support.process.broker import BrokerProcess

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HERE = Path(__file__).resolve().parent
MUCH_CODE = "-XX:ReservedCodeCacheSize=240m"
"""Where little is optimized Java has room for 48 MB of code; many reports compile more."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All need Java and seconds."""
    for item in items:
        if item.path.is_relative_to(HERE):
            for marker in (pytest.mark.java, pytest.mark.slow):
                item.add_marker(marker)


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A local session on two cores with the sources registered."""
    from pykafka_ops.spark.session import SessionOptions, close, session

    conf = {"spark.sql.shuffle.partitions": "2", JAVA_OPTIONS: MUCH_CODE}
    # brief: little data, so that compiling well would cost a third more than it saves
    made = session(SessionOptions(cores=2, driver_memory="2g", conf=conf, brief=True))
    yield made
    close(made)


@pytest.fixture(scope="session", params=["spark", "local"])
def engine(request: pytest.FixtureRequest) -> SparkSession:
    """A session of each engine: a report is the same by both."""
    if request.param == "local":
        return local_session()
    found: SparkSession = request.getfixturevalue("spark")
    return found


RECORDS = 600
READ = 50
"""Of each partition, by the group ``billing``."""


@pytest.fixture(scope="session")
def log_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a broker left: topic ``orders`` of two partitions, two thirds of it in the first.

    Keys are k0 to k9; the group ``billing`` has read READ records of each partition.
    """
    directory = tmp_path_factory.mktemp("spark") / "data"
    broker = BrokerProcess(directory, {"offsets.topic.num.partitions": 1}).start()
    try:
        client = {"bootstrap.servers": broker.bootstrap}
        admin = AdminClient(client)
        admin.create_topics([NewTopic("orders", 2, 1)])["orders"].result()
        producer = Producer({**client, "linger.ms": 5})
        for i in range(RECORDS):
            producer.produce("orders", b"v" * 50, b"k%d" % (i % 10), partition=int(i % 3 == 2))
        producer.flush()
        consumer = Consumer({**client, "group.id": "billing"})
        offsets = [TopicPartition("orders", p, READ) for p in (0, 1)]
        consumer.commit(offsets=offsets, asynchronous=False)
        consumer.close()
    finally:
        broker.close()
    return directory
