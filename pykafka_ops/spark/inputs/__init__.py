"""What a report may ask, whether a cluster answers or its files.

Frames have the columns of ``spark/schemas.py``. They are lazy; what is small (all but batches,
records and commits) is read once and kept until ``close``. Rows are in no order. Internal topics
(``__consumer_offsets``) are among the others unless ``wanted_topics`` leaves them out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pykafka_ops.spark.engines import narrowed_to, wanted_columns, widened
from pykafka_ops.spark.inputs.names import ALL, Names
from pykafka_ops.spark.inputs.untold import assigned
from pykafka_ops.spark.model import Problem

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from pykafka_ops.spark.inputs.sampling import Look


PARTITIONS_OF_TASK: Final = 20_000
"""Of Kafka, in a task of Spark's behind a shuffle, about."""


@dataclass(frozen=True, slots=True)
class InputQuery:
    """What is asked; moments in ms since 1970 (None: open, ``now``: the input's own)."""

    now: int | None = None
    since: int | None = None
    until: int | None = None
    topics: Names = ALL
    groups: Names = ALL
    strict: bool = False


class Inputs:
    """``now`` is the moment a report is about, ``since`` and ``until`` the span that counts (ms
    since 1970, None: open). ``wanted_topics`` and ``wanted_groups`` already hold for every frame.
    ``problems`` and ``source`` grow while frames are read: this says what is read, for
    ``Report.source``. ``directories`` are those that are read, as they are opened: keys may be in
    them. ``shared``: several reports are made of it, so that what one of them reads serves others.
    ``untold`` says by broker what it does not tell of its replicas, once ``log_dirs`` was
    asked for.

    A method gives None where this kind of input cannot know.
    """

    def __init__(
        self, spark: SparkSession, query: InputQuery, now: int, source: Mapping[str, object]
    ) -> None:
        self.spark, self.now = spark, now
        self.since, self.until = query.since, query.until
        self.wanted_topics, self.wanted_groups = query.topics, query.groups
        self.strict, self.shared = query.strict, False
        self.problems: list[Problem] = []
        self.untold: Mapping[int, str] = {}
        self._assigned: dict[int, int] | None = None
        self.source: dict[str, Any] = dict(source)
        self.directories: list[str] = []
        self.frames: dict[Any, DataFrame] = {}
        self._shuffles: str | None = None

    def freeze(self, *, groups: bool) -> None:
        """Look at what changes while a report is made, all at one moment; offsets of groups before
        the ends of logs, which would seem to be behind them otherwise."""

    def batches(self) -> DataFrame | None:
        """BATCHES of one replica per partition: the one with the greatest last offset.

        ``since`` and ``until`` do not cut it: what is old counts for sizes.
        """
        return None

    def records(self, sample: float | None = None) -> DataFrame | None:
        """KEYS of one replica per partition, between ``since`` and ``until``; SAMPLED_KEYS of so
        much (``sample``, above 0 and below 1) of each topic that is not small."""
        return None

    def sizes(self) -> DataFrame | None:
        """Bytes of each partition that is read (topic, partition, bytes); None where LOG_DIRS have
        them."""
        return None

    def sampled(self, most: int, look: Look, schema: pa.Schema) -> DataFrame | None:
        """Rows of ``schema`` that ``look`` makes in executors of some batches of some partitions
        (see ``samples.py``), about ``most`` records of each topic."""
        return None

    def partitions(self) -> DataFrame | None:
        """PARTITIONS of the topics; leader and ISR are null where only files are read."""
        return None

    def brokers(self) -> DataFrame | None:
        """BROKERS; without a cluster those whose directories were found, by their ids alone."""
        return None

    def log_dirs(self) -> DataFrame | None:
        """LOG_DIRS of every replica."""
        return None

    def assigned(self) -> Mapping[int, int]:
        """How many replicas each broker should have, counted once."""
        if self._assigned is None:
            found = self._placed()
            self._assigned = {} if found is None else assigned(found)
        return self._assigned

    def _placed(self) -> DataFrame | None:
        """Where partitions are: of PARTITIONS the column ``replicas`` at least."""
        return self.partitions()

    def configs(self) -> DataFrame | None:
        """CONFIGS of the topics, defaults among them."""
        return None

    def groups(self) -> DataFrame | None:
        """GROUPS and their members."""
        return None

    def commits(self) -> DataFrame | None:
        """OFFSETS: the commits of the groups between ``since`` and ``until``."""
        return None

    def committed(self) -> DataFrame | None:
        """COMMITTED: the offsets in force."""
        return None

    def ends(self, moments: Sequence[int], wanted: DataFrame | None = None) -> DataFrame | None:
        """LOG_ENDS at each of ``moments`` (ms, in order): the end of the log where no record is as
        new. Moments without an answer are left out.

        Of every partition; or of those ``wanted`` (topic, partition, since: ms) alone, and of these
        the moments that enclose every time from ``since`` on.
        """
        return None

    def times(self) -> DataFrame | None:
        """TIMES at every committed offset of the groups that lies inside its log."""
        return None

    def pasts(
        self,
        moments: Sequence[int],
        readers: DataFrame | None = None,
        always: Sequence[int] = (),
    ) -> DataFrame | None:
        """LOG_PASTS of every log that holds records, at each of ``moments`` as ``ends``; None
        where batches say it.

        With ``readers`` (topic, partition, offset) of those logs alone that hold one of their
        offsets, and of these the moments since where the log ended no later than the least of them
        does, those of ``always``, and ``first`` where no record is older than all of them.
        """
        return None

    def cleaned(self) -> DataFrame | None:
        """CLEANED of every replica in directories; None where only a cluster is asked."""
        return None

    def close(self) -> None:
        """Release the frames that are kept."""
        for frame in self.frames.values():
            frame.unpersist()
        self.frames.clear()
        if self._shuffles is not None:
            narrowed_to(self.spark, self._shuffles)
            self._shuffles = None

    def widen(self, partitions: int) -> None:
        """Have Spark's tasks be no larger, however many partitions there are."""
        if self._shuffles is None:
            self._shuffles = widened(self.spark, partitions, PARTITIONS_OF_TASK)

    def keep(self, key: Any, make: Callable[[], DataFrame]) -> DataFrame:
        """The frame of that name, read at most once and kept in memory or on disk."""
        if key not in self.frames:
            self.frames[key] = make().persist()
        return self.frames[key]

    def read(
        self, source: str, options: Mapping[str, object], schema: pa.Schema | None = None
    ) -> DataFrame:
        """A frame of a data source; with ``schema`` only its columns."""
        reader = self.spark.read.format(source)
        if schema is not None:
            reader = reader.schema(wanted_columns(self.spark, schema))
        texts = {key: str(value) for key, value in options.items() if value is not None}
        return reader.options(**texts).load()


def moments(first: int, last: int, steps: int) -> list[int]:
    """The borders of ``steps`` equal stretches of time from ``first`` to ``last`` (ms)."""
    return [last - (last - first) * (steps - k) // steps for k in range(steps + 1)]
