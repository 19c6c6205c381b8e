"""Log directories as the input of reports: no broker has to run."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from pykafka_ops.spark import schemas, uris
from pykafka_ops.spark.arrow import row_batches
from pykafka_ops.spark.engines import functions_of, made_frame
from pykafka_ops.spark.inputs import InputQuery, Inputs
from pykafka_ops.spark.inputs import replicas as looked
from pykafka_ops.spark.inputs.log_times import ends, times
from pykafka_ops.spark.inputs.names import Names
from pykafka_ops.spark.inputs.settings import config_rows, stored_settings
from pykafka_ops.spark.schemas import Row
from pykafka_ops.spark.sources.files import Location
from pykafka_ops.spark.sources.options import now_ms

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_OFFSETS: Final = Names(frozenset({"__consumer_offsets"}))


class LogDirInputs(Inputs):
    """``locations`` as ``kafka-log`` takes them.

    ``settings`` (see ``settings.py``) stand above what a broker's own store in a directory says.
    Unless asked otherwise, ``now`` is the newest timestamp at the logs' ends that is not in the
    future. Directories are listed once, commits before logs: what a broker writes later is not
    read, so that sizes, records and ends are of one moment.

    Members of groups are not in files: ``groups`` is None. Raises UsageError or
    StorageError where a location cannot be read.
    """

    def __init__(
        self,
        spark: SparkSession,
        locations: Sequence[str],
        query: InputQuery,
        settings: Mapping[str, Mapping[str, str]] | None = None,
    ) -> None:
        self._locations = list(locations)
        self._offsets_known = looked.known(self._locations, _OFFSETS)
        every_replica = looked.listed(self._locations, query.topics)
        self._known = looked.with_ends(every_replica)
        self._bounds = looked.bounds(every_replica, self._known)
        every = [*self._known, *self._offsets_known]
        now = _now(every) if query.now is None else query.now
        super().__init__(
            spark, query, now, {"directories": [uris.shown(place) for place in self._locations]}
        )
        self.directories = self._locations
        self._settings = {topic: dict(values) for topic, values in (settings or {}).items()}

    @property
    def offsets_partitions(self) -> set[int]:
        """Which partitions of ``__consumer_offsets`` were found."""
        replicas = (known.replica for known in self._offsets_known)
        return {replica.partition for replica in replicas if replica.partition is not None}

    def _options(self, **more: object) -> dict[str, object]:
        places = {"paths": json.dumps(self._locations), "strict": str(self.strict).lower()}
        return {**places, **more}

    def _log(self, schema: pa.Schema | None = None, **more: object) -> DataFrame:
        return self.read("kafka-log", self._options(**self._bounds, **more), schema)

    def _rows(self, name: str, rows: Callable[[], Iterable[Row]], schema: pa.Schema) -> DataFrame:
        """A frame of rows made on the driver; times in ms."""

        def make() -> DataFrame:
            batches = list(row_batches(schema, rows()))
            return made_frame(self.spark, pa.Table.from_batches(batches, schema), schema)

        return self.keep(name, make)

    def batches(self) -> DataFrame | None:
        return self._log(replicas="one", checkCrc="true")

    def records(self) -> DataFrame | None:
        until = None if self.until is None else self.until + 1
        return self._log(
            schemas.KEYS_AND_DAMAGE,
            mode="records",
            startingTimestamp=self.since,
            endingTimestamp=until,
        )

    def partitions(self) -> DataFrame | None:
        """PARTITIONS; ``end_offset`` is the end of the log, since files have no high watermark."""
        rows = lambda: looked.partition_rows(self._known)  # noqa: E731
        return self._rows("partitions", rows, schemas.PARTITIONS)

    def brokers(self) -> DataFrame | None:
        ids = {k.replica.broker for k in self._known if k.replica.broker is not None}
        rows = [(broker, None, None, None, None) for broker in sorted(ids)]
        return self._rows("brokers", lambda: rows, schemas.BROKERS)

    def log_dirs(self) -> DataFrame | None:
        return self._rows("log_dirs", lambda: looked.dir_rows(self._known), schemas.LOG_DIRS)

    def configs(self) -> DataFrame | None:
        """CONFIGS; settings given nowhere have Kafka's default."""
        return self._rows("configs", self._config_rows, schemas.CONFIGS)

    def _config_rows(self) -> Sequence[Row]:
        places = [Location.of(location) for location in self._locations]
        stored = stored_settings(place.path for place in places if place.local)
        settings = {
            topic: {**stored.get(topic, {}), **self._settings.get(topic, {})}
            for topic in {*stored, *self._settings}
        }
        topics = sorted({k.replica.topic for k in self._known if k.replica.topic is not None})
        return config_rows(topics, settings)

    def _offsets(self, **more: object) -> DataFrame:
        groups = self.wanted_groups.option("groups", "groupsPattern")
        topics = self.wanted_topics.option("topics", "topicsPattern")
        ends = looked.ends_option(self._offsets_known)
        return self.read("kafka-offsets", self._options(**groups, **topics, **ends, **more))

    def commits(self) -> DataFrame | None:
        """OFFSETS; None where ``__consumer_offsets`` was not found."""
        if not self._offsets_known:
            return None
        return self._offsets(since=self.since, until=self.until)

    def committed(self) -> DataFrame | None:
        """COMMITTED: what the last commit of each partition said, if it was not deleted since."""
        if not self._offsets_known:
            return None
        return self.keep("committed", lambda: last_commits(self._offsets(until=self.until)))

    def ends(
        self, moments: Sequence[int], topics: Collection[str] | None = None
    ) -> DataFrame | None:
        """ENDS, from the time indexes and the records there."""
        best = looked.one_each(self._known)
        return self.keep(("ends", *moments), lambda: ends(self.spark, best, moments))

    def times(self) -> DataFrame | None:
        """TIMES, each from the record itself."""
        committed = self.committed()
        if committed is None:
            return None
        best = looked.one_each(self._known)
        return self.keep("times", lambda: times(best, committed))

    def cleaned(self) -> DataFrame | None:
        return self._rows("cleaned", lambda: looked.cleaned_rows(self._known), schemas.CLEANED)


def last_commits(commits: DataFrame) -> DataFrame:
    """COMMITTED from OFFSETS."""
    f = functions_of(commits)
    key = ("group", "topic", "partition")
    last = f.max_by(f.struct("offset", "leader_epoch", "metadata", "tombstone"), "log_offset")
    found = commits.groupBy(*key).agg(last.alias("last")).where(~f.col("last.tombstone"))
    return found.select(*key, "last.offset", "last.leader_epoch", "last.metadata")


def _now(found: Sequence[looked.Known]) -> int:
    """The newest timestamp up to the present; the present where there is none."""
    present = now_ms()
    times = (k.tail.newest for k in found)
    return max((t for t in times if t is not None and t <= present), default=present)
