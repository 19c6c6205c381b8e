"""Clusters for tests: one that is shared and left as it is, and one whose links can be cut."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pykafka_ops.testing import KafkaCluster
from tests.support.cluster.faulty_cluster import FaultyCluster


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    """Three brokers of ours on ZooKeeper, shared: give topics names of your own, break nothing."""
    with KafkaCluster(3, tmp_path_factory.mktemp("cluster")) as found:
        yield found


@pytest.fixture(scope="session")
def faulty_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FaultyCluster]:
    """Three brokers behind relays, for tests that break and mend them: leave it whole."""
    found = FaultyCluster(tmp_path_factory.mktemp("faulty"))
    try:
        yield found.start()
    finally:
        found.close()
