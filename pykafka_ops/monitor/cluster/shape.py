"""What follows from the topics of a cluster and their places alone.

It is found again only where these have changed: most rounds find them as they were.
"""

from __future__ import annotations

from collections.abc import Mapping

from pykafka_ops.analysis.cluster_state import ClusterSurvey, survey
from pykafka_ops.client.glance import BrokerRow, broker_rows, min_isr, placed
from pykafka_ops.monitor.cluster.answers import Answers


def broker_table(got: Answers, looked: ClusterSurvey) -> list[BrokerRow]:
    """A row for each broker, with whether it is fenced (None: not known)."""
    answering = {b: "" for b in got.nodes if b not in got.silent_brokers}
    rows = broker_rows(got.nodes, got.controller, looked.shares, got.dirs, answering)
    for row in rows:
        row["fenced"] = None if got.fenced is None else row["id"] in got.fenced
    return rows


class ClusterShape:
    """The survey of the last round, and the bytes of topics."""

    def __init__(self) -> None:
        self._of = Answers(at=0)
        self._survey: ClusterSurvey | None = None
        self._bytes: Mapping[str, int] = {}
        self._dirs: object = None

    def survey(self, got: Answers) -> ClusterSurvey:
        """Of a round: the same object where nothing changed."""
        racks = {b: node.rack for b, node in got.nodes.items()}
        old, found = self._of, self._survey
        if (
            found is None
            or got.topics is not old.topics
            or got.settings is not old.settings
            or got.moves != old.moves
            or racks != found.racks
        ):
            partitions = placed(got.topics.values(), min_isr(got.settings), got.moves or {})
            found = survey(partitions, racks)
            self._of, self._survey = got, found
        return found

    def bytes(self, got: Answers) -> Mapping[str, int]:
        """Bytes of all replicas by topic, as far as brokers described them."""
        if got.dirs is not self._dirs:
            found: dict[str, int] = {}
            for directories in got.dirs.values():
                for directory in directories:
                    for replica in directory.replicas:
                        found[replica.topic] = found.get(replica.topic, 0) + replica.size
            self._bytes, self._dirs = found, got.dirs
        return self._bytes
