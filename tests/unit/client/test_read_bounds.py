"""Where reading begins and ends, of partitions that answer and of those that do not."""

from __future__ import annotations

import pytest

from pykafka_ops.client import read_bounds
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.offsets import EARLIEST, Offset
from pykafka_ops.client.read_bounds import OffsetSpan, ReadBounds
from pykafka_ops.errors import KafkaError, PkoError

LEADERLESS = KafkaError(5)


@pytest.fixture(autouse=True)
def logs(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(
        cluster: Cluster, wanted: dict[Partition, int], *, read_committed: bool = False
    ) -> dict[Partition, Offset | PkoError]:
        found: dict[Partition, Offset | PkoError] = {}
        for p, time in wanted.items():
            found[p] = LEADERLESS if p[1] == 1 else Offset(3 if time == EARLIEST else 9, -1, 0)
        return found

    monkeypatch.setattr(read_bounds, "list_offsets", answer)


def test_a_partition_that_does_not_answer_stops_no_other() -> None:
    cluster = Cluster(ClientConfig.of({"bootstrap.servers": "b1:1"}))
    places = [("orders", 0), ("orders", 1)]
    bounds = ReadBounds(2, (None, None), None, False)
    assert bounds.look(cluster, places, read_committed=True) == {
        ("orders", 0): OffsetSpan(7, 9),
        ("orders", 1): LEADERLESS,
    }
    with pytest.raises(KafkaError):
        bounds.spans(cluster, places, read_committed=True)
