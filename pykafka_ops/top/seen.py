"""The data of pages: the view of the cluster, and the answers for the current page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pykafka_ops.analysis.lag.rows import LagRow
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.top.records import RecordPage


@dataclass(frozen=True, slots=True)
class SeenCluster:
    """``now`` in ms. ``rows`` are those of the group at hand, ``records`` those of the partition;
    None: not asked yet. ``trouble``: why they could not be had. ``width`` in columns."""

    view: ClusterView
    now: int
    poll_ms: int
    width: int = 80
    rows: Sequence[LagRow] | None = None
    records: RecordPage | None = None
    trouble: str = ""

    @property
    def waiting(self) -> str:
        """What stands where rows will be."""
        return self.trouble or "asking ..."
