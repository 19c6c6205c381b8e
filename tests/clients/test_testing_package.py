"""``pykafka_ops.testing`` in a project of somebody else."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from confluent_kafka import Consumer, KafkaException, Producer

from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.local import children
from pykafka_ops.testing import KafkaBroker, KafkaCluster

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "testing.md"
TESTS = """
from confluent_kafka import Consumer


def test_an_order_is_read(kafka_bootstrap_servers, kafka_topic):
    from confluent_kafka import Producer
    producer = Producer({"bootstrap.servers": kafka_bootstrap_servers})
    producer.produce(kafka_topic, b"order 2")
    assert producer.flush(120) == 0
    consumer = Consumer({"bootstrap.servers": kafka_bootstrap_servers, "group.id": "readers",
                         "auto.offset.reset": "earliest"})
    consumer.subscribe([kafka_topic])
    assert consumer.consume(1, 60)[0].value() == b"order 2"
    consumer.close()


def test_the_settings_of_the_project_are_the_broker_s(kafka_broker, kafka_topic):
    from confluent_kafka.admin import AdminClient
    kafka_broker.create_topic(kafka_topic, partitions=-1)
    admin = AdminClient({"bootstrap.servers": kafka_broker.bootstrap_servers})
    assert len(admin.list_topics(kafka_topic, 60).topics[kafka_topic].partitions) == 3
"""


def test_the_page_s_own_example_passes_in_a_new_project(tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n# (\w+\.py)[^\n]*\n(.*?)```", PAGE.read_text(), re.S)
    assert [name for name, _ in blocks] == ["conftest.py", "test_orders.py", "conftest.py"]
    conftest = "import pytest\n" + "".join(text for name, text in blocks if name == "conftest.py")
    (tmp_path / "conftest.py").write_text(conftest)
    example = dict(blocks)["test_orders.py"].replace("flush(10)", "flush(60)")
    (tmp_path / "test_orders.py").write_text(example)
    (tmp_path / "test_more.py").write_text(TESTS)
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "."]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert "3 passed" in done.stdout, done.stdout + done.stderr


def test_a_broker_keeps_its_port_and_data_over_a_crash_and_leaves_nothing_behind() -> None:
    with KafkaBroker() as kafka:
        servers, pid = kafka.bootstrap_servers, kafka.pid
        assert kafka.create_topic("orders", partitions=2) == "orders"
        with pytest.raises(KafkaError, match="already exists"):
            kafka.create_topic("orders")
        producer = Producer({"bootstrap.servers": servers, "acks": "all"})
        producer.produce("orders", b"before", partition=1)
        assert producer.flush(120) == 0
        kafka.kill()
        assert not children.is_alive(pid or 0)
        kafka.start()
        assert kafka.bootstrap_servers == servers
        assert kafka.pid not in (None, pid)
        reader = {"bootstrap.servers": servers, "group.id": "g", "auto.offset.reset": "earliest"}
        consumer = Consumer(reader)
        consumer.subscribe(["orders"])
        assert [m.value() for m in consumer.consume(1, 60)] == [b"before"]
        consumer.close()
        left, pid = kafka.directory, kafka.pid
    assert not left.exists()
    assert pid is not None
    assert not children.is_alive(pid)


def test_a_broker_that_cannot_start_says_why_and_leaves_nothing_behind() -> None:
    kafka = KafkaBroker(settings={"num.partitions": "many"})
    with pytest.raises(PkoError, match="Invalid value many"), kafka:
        pass
    assert not kafka.directory.exists()


def test_a_broker_ends_with_the_run_that_is_killed(tmp_path: Path) -> None:
    code = (
        "from pykafka_ops.testing import KafkaBroker\n"
        f"kafka = KafkaBroker({str(tmp_path)!r})\n"
        "kafka.start()\n"
        "import os, signal\n"
        "print(kafka.pid, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    pid = int(done.stdout)
    assert children.wait_until(lambda: not children.is_alive(pid), 60.0)


CLUSTER_TESTS = """
import pytest

pytest_plugins = ["pykafka_ops.testing.plugin"]


@pytest.fixture(scope="session")
def kafka_cluster_size():
    return 2


@pytest.fixture(scope="session")
def kafka_settings():
    return {"zookeeper.session.timeout.ms": 8000}


def test_orders_are_taken_while_a_broker_is_away(kafka_cluster, kafka_topic):
    from confluent_kafka import Producer
    kafka_cluster.create_topic(kafka_topic, partitions=4, replication_factor=2)
    servers = kafka_cluster.bootstrap_servers
    assert servers.count(",") == 1
    producer = Producer({"bootstrap.servers": servers, "acks": "all"})
    kafka_cluster.brokers[1].kill()
    for number in range(100):
        producer.produce(kafka_topic, b"%d" % number, partition=number % 4)
    assert producer.flush(120) == 0
    kafka_cluster.start()
    kafka_cluster.wait_complete()
    assert kafka_cluster.bootstrap_servers == servers
"""


@pytest.mark.java
def test_a_cluster_in_a_new_project_survives_a_broker(tmp_path: Path) -> None:
    (tmp_path / "test_cluster.py").write_text(CLUSTER_TESTS)
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "."]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert "1 passed" in done.stdout, done.stdout + done.stderr


@pytest.mark.java
def test_a_secure_cluster_lets_in_who_logs_in_and_nobody_else(tmp_path: Path) -> None:
    with KafkaCluster(2, tmp_path, secure=True) as kafka:
        assert kafka.create_topic("orders", partitions=2) == "orders"
        producer = Producer(kafka.client_config)
        producer.produce("orders", b"1")
        assert producer.flush(120) == 0
        kafka.brokers[1].kill()
        kafka.start()  # as secure as before
        open_ = {"bootstrap.servers": kafka.bootstrap_servers, "group.id": "g"}
        wrong = {**kafka.client_config, "sasl.password": "wrong", "group.id": "g"}
        for config in (open_, wrong):
            consumer = Consumer(config)
            with pytest.raises(KafkaException):
                consumer.list_topics(timeout=5)
            consumer.close()
        secret = kafka.client_config["sasl.password"]
        assert all(secret not in broker.log.read_text() for broker in kafka.brokers)
        assert kafka.command_config == tmp_path / "secure" / "admin.properties"
