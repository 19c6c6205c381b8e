"""Real brokers for the tests of your own project: ``KafkaBroker``, ``KafkaCluster``, fixtures.

    with KafkaBroker() as kafka:
        producer = Producer({"bootstrap.servers": kafka.bootstrap_servers})

With pytest, ``pytest_plugins = ["pykafka_ops.testing.plugin"]`` gives fixtures. See
``docs/testing.md``.
"""

from pykafka_ops.testing.servers import KafkaBroker, KafkaCluster

__all__ = ["KafkaBroker", "KafkaCluster"]
