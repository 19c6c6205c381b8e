"""What a report may ask, whether a cluster answers or its files.

Every method gives a frame with the columns of ``spark/schemas.py``, or None where this kind of
input cannot know. Frames are lazy; what is small (all but batches, records and commits) is read
once and kept until ``close``. Rows are in no order. Internal topics (``__consumer_offsets``) are
among the others unless ``wanted_topics`` leaves them out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from pykafka_ops.spark.inputs.names import Names
from pykafka_ops.spark.model import Problem

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class Inputs(Protocol):
    """``now`` is the moment a report is about, ``since`` and ``until`` the span that counts (ms
    since 1970, None: open). ``wanted_topics`` and ``wanted_groups`` already hold for every frame.
    ``problems`` grows while frames are read. ``source`` says what is read, for ``Report.source``.
    """

    spark: SparkSession
    now: int
    since: int | None
    until: int | None
    wanted_topics: Names
    wanted_groups: Names
    problems: list[Problem]
    source: Mapping[str, object]

    def batches(self) -> DataFrame | None:
        """BATCHES of one replica per partition: the one with the greatest last offset.

        ``since`` and ``until`` do not cut it: what is old counts for sizes.
        """
        ...

    def all_batches(self) -> DataFrame | None:
        """BATCHES of every replica found."""
        ...

    def records(self) -> DataFrame | None:
        """KEYS of one replica per partition, between ``since`` and ``until``."""
        ...

    def partitions(self) -> DataFrame | None:
        """PARTITIONS of the topics; leader and ISR are null where only files are read."""
        ...

    def brokers(self) -> DataFrame | None:
        """BROKERS; without a cluster those whose directories were found."""
        ...

    def log_dirs(self) -> DataFrame | None:
        """LOG_DIRS of every replica."""
        ...

    def configs(self) -> DataFrame | None:
        """CONFIGS of the topics, defaults among them."""
        ...

    def groups(self) -> DataFrame | None:
        """GROUPS and their members."""
        ...

    def commits(self) -> DataFrame | None:
        """OFFSETS: the commits of the groups between ``since`` and ``until``."""
        ...

    def committed(self) -> DataFrame | None:
        """COMMITTED: the offsets in force."""
        ...

    def ends(self, moments: Sequence[int]) -> DataFrame | None:
        """ENDS of every partition at each of ``moments`` (ms), a row per partition and moment.

        The end of the log where no record is as new. Partitions without an answer are left out.
        """
        ...

    def times(self) -> DataFrame | None:
        """TIMES at every committed offset of the groups that lies inside its log."""
        ...

    def cleaned(self) -> DataFrame | None:
        """CLEANED of every replica in directories; None where only a cluster is asked."""
        ...

    def close(self) -> None:
        """Release the frames that are kept."""
        ...


def moments(first: int, last: int, steps: int) -> list[int]:
    """The borders of ``steps`` equal stretches of time from ``first`` to ``last`` (ms)."""
    return [last - (last - first) * (steps - k) // steps for k in range(steps + 1)]
