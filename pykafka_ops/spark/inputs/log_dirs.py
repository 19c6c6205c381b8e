"""Log directories as the input of reports: no broker has to run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql import DataFrame, SparkSession

from pykafka_ops.spark import schemas
from pykafka_ops.spark.inputs import replicas as looked
from pykafka_ops.spark.inputs.kept import InputQuery, Kept, chosen, rows_frame
from pykafka_ops.spark.inputs.names import Names
from pykafka_ops.spark.inputs.settings import Settings, config_columns, stored_settings
from pykafka_ops.spark.sources.files import Location
from pykafka_ops.spark.sources.options import now_ms

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

_OFFSETS: Final = Names(frozenset({"__consumer_offsets"}))


class LogDirInputs(Kept):
    """See ``Inputs``; ``locations`` as ``kafka-log`` takes them.

    ``settings`` (see ``settings.py``) stand above what a broker's own store in a directory says.
    Unless asked otherwise, ``now`` is the newest timestamp at the logs' ends that is not in the
    future. Members of groups are not in files: ``groups`` is None. Raises UsageError or
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
        self._known = looked.known(self._locations, query.topics)
        self._offsets_known = looked.known(self._locations, _OFFSETS)
        every = [*self._known, *self._offsets_known]
        now = _now(every) if query.now is None else query.now
        super().__init__(spark, query, now, {"directories": self._locations})
        self._settings = {topic: dict(values) for topic, values in (settings or {}).items()}

    @property
    def offsets_partitions(self) -> set[int]:
        """Which partitions of ``__consumer_offsets`` were found."""
        replicas = (known.replica for known in self._offsets_known)
        return {replica.partition for replica in replicas if replica.partition is not None}

    def _options(self, **more: object) -> dict[str, object]:
        places = {"paths": json.dumps(self._locations), "strict": str(self.strict).lower()}
        return {**places, **more}

    def _log(self, schema: StructType | None = None, **more: object) -> DataFrame:
        topics = chosen(self.wanted_topics, "subscribe", "subscribePattern")
        return self.read("kafka-log", self._options(**topics, **more), schema)

    def _rows(self, name: str, columns: Any, schema: StructType) -> DataFrame:
        return self.keep(name, lambda: rows_frame(self.spark, columns(), schema))

    def batches(self) -> DataFrame | None:
        """BATCHES of the replicas that reach furthest."""
        return self._log(replicas="one")

    def all_batches(self) -> DataFrame | None:
        """BATCHES of all."""
        return self._log(replicas="all")

    def records(self) -> DataFrame | None:
        """KEYS."""
        return self._log(
            schemas.KEYS,
            mode="records",
            startingTimestamp=self.since,
            endingTimestamp=None if self.until is None else self.until + 1,
        )

    def partitions(self) -> DataFrame | None:
        """PARTITIONS; ``end_offset`` is the end of the log, since files have no high watermark."""
        columns = lambda: looked.partition_columns(self._known)  # noqa: E731
        return self._rows("partitions", columns, schemas.PARTITIONS)

    def brokers(self) -> DataFrame | None:
        """BROKERS, by their ids alone."""
        return self._rows("brokers", self._broker_columns, schemas.BROKERS)

    def _broker_columns(self) -> dict[str, list[Any]]:
        ids = sorted({k.replica.broker for k in self._known if k.replica.broker is not None})
        none = [None] * len(ids)
        return {"broker": ids, "host": none, "port": none, "rack": none, "controller": none}

    def log_dirs(self) -> DataFrame | None:
        """LOG_DIRS."""
        return self._rows("log_dirs", lambda: looked.dir_columns(self._known), schemas.LOG_DIRS)

    def configs(self) -> DataFrame | None:
        """CONFIGS; settings given nowhere have Kafka's default."""
        return self._rows("configs", self._config_columns, schemas.CONFIGS)

    def _config_columns(self) -> dict[str, list[Any]]:
        places = [Location.of(location) for location in self._locations]
        stored = stored_settings(place.path for place in places if place.local)
        settings: Settings = {
            topic: {**stored.get(topic, {}), **self._settings.get(topic, {})}
            for topic in {*stored, *self._settings}
        }
        topics = sorted({k.replica.topic for k in self._known if k.replica.topic is not None})
        return config_columns(topics, settings)

    def groups(self) -> DataFrame | None:
        """None."""
        return None

    def _offsets(self, **more: object) -> DataFrame:
        return self.read(
            "kafka-offsets",
            self._options(
                **chosen(self.wanted_groups, "groups", "groupsPattern"),
                **chosen(self.wanted_topics, "topics", "topicsPattern"),
                **more,
            ),
        )

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

    def ends(self, moments: Sequence[int]) -> DataFrame | None:
        """ENDS, from the time indexes and the records there."""
        from pykafka_ops.spark.inputs.log_times import ends

        asked = tuple(moments)
        best = looked.one_each(self._known)
        return self.keep(("ends", asked), lambda: ends(self.spark, best, asked))

    def times(self) -> DataFrame | None:
        """TIMES, each from the record itself."""
        from pykafka_ops.spark.inputs.log_times import times

        committed = self.committed()
        if committed is None:
            return None
        best = looked.one_each(self._known)
        return self.keep("times", lambda: times(best, committed))

    def cleaned(self) -> DataFrame | None:
        """CLEANED."""
        return self._rows("cleaned", lambda: looked.cleaned_columns(self._known), schemas.CLEANED)


def last_commits(commits: DataFrame) -> DataFrame:
    """COMMITTED from OFFSETS."""
    from pyspark.sql import functions as f

    key = ("group", "topic", "partition")
    last = f.max_by(f.struct("offset", "leader_epoch", "metadata", "tombstone"), "log_offset")
    found = commits.groupBy(*key).agg(last.alias("last")).where("not last.tombstone")
    return found.select(*key, "last.offset", "last.leader_epoch", "last.metadata")


def _now(found: Sequence[looked.Known]) -> int:
    """The newest timestamp up to the present; the present where there is none."""
    present = now_ms()
    times = (k.tail.newest for k in found)
    return max((t for t in times if t is not None and t <= present), default=present)
