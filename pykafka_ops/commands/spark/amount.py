"""How much a report is going to read: measured once, compared with whatever asks."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from pykafka_ops.analysis.bars import size_text
from pykafka_ops.objects import uris
from pykafka_ops.spark.inputs.names import INTERNAL
from pykafka_ops.spark.inputs.planned import (
    LOCAL_PARTITIONS,
    PlannedReading,
    bytes_in,
    of_cluster,
)

if TYPE_CHECKING:
    from pykafka_ops.commands.spark.ask import ReportRequest

LOCAL_BYTES: Final = 256 << 20
"""Bytes up to which this process is done before Spark would have started."""
LITTLE: Final = 2 << 30
"""Bytes of logs up to which a report is a brief thing for Spark."""
_SAMPLED: Final = ("formats",)
_NO_COMMITS: Final = {"skew", "formats"}
_COMMITS: Final = "__consumer_offsets"


class ReadAmount:
    """What a request makes a report read. Directories are listed, and brokers asked, when it is
    first compared, and never again."""

    def __init__(self, asked: ReportRequest) -> None:
        self._asked = asked
        self._commits = bool(set(asked.kinds) - _NO_COMMITS)

    def much(self, most: int) -> str:
        """What makes the report a large one, of more than ``most`` bytes (LITTLE at most); empty
        where it is small. Raises what connecting raises."""
        return self._much_in_dirs(most) or self._much_of_cluster(most)

    @property
    def is_brief(self) -> bool:
        """Whether Spark has little to do: lag of a cluster, or little in directories here."""
        if not self._asked.dirs:
            return self._asked.kinds == ("lag",)
        return not self._much_in_dirs(LITTLE)

    def _much_in_dirs(self, most: int) -> str:
        asked = self._asked
        if asked.kinds == _SAMPLED or not asked.dirs:  # some of each topic, however much there is
            return ""
        for location in asked.dirs:
            if uris.is_remote(location):
                return f"{uris.shown(location)} is not on this machine"
        if self._in_dirs > most:
            return f"more than {size_text(most)} or {LOCAL_PARTITIONS:,} logs to read"
        return ""

    def _much_of_cluster(self, most: int) -> str:
        """The same of a cluster: its partitions, commits, and records where they are read."""
        if not self._asked.properties:
            return ""
        planned = self._of_cluster
        if planned.partitions > LOCAL_PARTITIONS:
            return f"{planned.partitions:,} partitions"
        if planned.bytes is None:
            return "brokers do not say how much there is to read"
        return f"{size_text(planned.bytes)} to read" if planned.bytes > most else ""

    @cached_property
    def _in_dirs(self) -> int:
        """Bytes to be read; of more than the largest bound it is not known how many."""
        asked = self._asked
        places = [uris.local_path(d) if uris.is_uri(d) else d for d in asked.dirs]
        sample = asked.key_sample if asked.kinds == ("skew",) else None  # others read all batches
        return bytes_in(places, self._is_wanted, max(LITTLE, LOCAL_BYTES), sample)

    def _is_wanted(self, topic: str) -> bool:
        """Whether logs of a topic are read where they lie in directories."""
        return topic in self._asked.topics or (self._commits and topic == _COMMITS)

    @cached_property
    def _of_cluster(self) -> PlannedReading:
        from pykafka_ops.spark.reach import reached

        asked = self._asked
        commits = not asked.dirs and self._commits
        records = not asked.dirs and "skew" in asked.kinds and asked.options.get("records") == "all"

        def read(topic: str) -> bool:
            return (commits and topic == _COMMITS) or (
                records
                and topic in asked.topics
                and (topic not in INTERNAL or not asked.topics.every)
            )

        with reached(asked.properties) as cluster:
            return of_cluster(cluster, self._is_wanted, read)
