"""Log directories as the input of reports: no broker has to run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pykafka_ops.errors import PkoError
from pykafka_ops.objects import uris
from pykafka_ops.spark import schemas
from pykafka_ops.spark.arrow import map_rows
from pykafka_ops.spark.engines import functions_of, kept
from pykafka_ops.spark.failures import ours
from pykafka_ops.spark.inputs import InputQuery, Inputs, listed
from pykafka_ops.spark.inputs.listed import OFFSETS_TOPIC
from pykafka_ops.spark.inputs.log_reading import (
    PlannedLogs,
    ReadPlan,
    commits_in,
    commits_plan,
)
from pykafka_ops.spark.inputs.log_times import ends, times
from pykafka_ops.spark.inputs.names import Names
from pykafka_ops.spark.inputs.settings import config_rows, stored_settings
from pykafka_ops.spark.schemas import Row
from pykafka_ops.spark.sources.files import Location
from pykafka_ops.spark.sources.log.options import log_options
from pykafka_ops.spark.sources.offsets.fold import CommitFilter
from pykafka_ops.spark.sources.options import SourceOptions, now_ms

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from pykafka_ops.spark.inputs.sampling import Look


class LogDirInputs(Inputs):
    """``locations`` as ``kafka-log`` takes them.

    ``settings`` (see ``settings.py``) stand above what a broker's own store in a directory says.
    Unless asked otherwise, ``now`` is the newest timestamp at the logs' ends that is not in the
    future. Directories are listed once, in executors, commits before logs: what a broker writes
    later is not read, so that sizes, records and ends are of one moment.

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
        self._held: list[DataFrame] = []
        self._plans: dict[tuple[str, float | None], PlannedLogs] = {}
        try:
            self._list(spark, query)
        except PkoError:
            raise
        except Exception as error:
            found = ours(error)  # of executors that cannot run, others say more
            if found is None:
                raise
            raise found from error
        times = (self._logs_newest, self._commits_newest)
        newest = max((t for t in times if t is not None), default=self._present)
        super().__init__(
            spark,
            query,
            newest if query.now is None else query.now,
            {"directories": [uris.shown(place) for place in self._locations]},
        )
        self.widen(self._known)
        self.directories = self._locations
        self._settings = {topic: dict(values) for topic, values in (settings or {}).items()}

    def _list(self, spark: SparkSession, query: InputQuery) -> None:
        self._present = now_ms()
        found = self._hold(listed.folders(spark, self._locations, query.topics))
        f = functions_of(found)
        of_commits = found.where("commits")
        self._commit_logs = self._hold(listed.logs(of_commits, Names(frozenset({OFFSETS_TOPIC}))))
        known, self._commits_newest, _ = self._sums(self._commit_logs)
        wanted = found if OFFSETS_TOPIC in query.topics else found.where(~f.col("commits"))
        self._logs = self._hold(listed.logs(wanted, query.topics))
        self._known, self._logs_newest, self._stored = self._sums(self._logs)
        rows = self._commit_logs.where("known").select("partition").distinct() if known else None
        self.offsets_partitions: set[int] = (
            set(rows.toArrow()["partition"].to_pylist()) if rows is not None else set()
        )

    def _hold(self, frame: DataFrame) -> DataFrame:
        self._held.append(kept(frame))
        return self._held[-1]

    def _sums(self, logs: DataFrame) -> tuple[int, int | None, int]:
        """Replicas whose end is known, the newest time up to the present, bytes to be read."""
        f = functions_of(logs)
        newest = f.when(f.col("newest") <= self._present, f.col("newest"))
        sums = logs.groupBy("known").agg(
            f.count("*").alias("count"),
            f.max(newest).alias("newest"),
            f.sum(f.when(f.col("read"), f.col("stored")).otherwise(0)).alias("stored"),
        )
        rows = sums.toArrow().to_pylist()
        known = sum(row["count"] for row in rows if row["known"])
        times = [row["newest"] for row in rows if row["newest"] is not None]
        return known, max(times, default=None), sum(int(row["stored"] or 0) for row in rows)

    def close(self) -> None:
        super().close()
        for plan in self._plans.values():
            plan.close()
        for frame in self._held:
            frame.unpersist()

    def _read(self, schema: pa.Schema, sample: float | None = None, **options: object) -> DataFrame:
        """What the options of ``kafka-log`` say, of the replicas that are read."""
        given = {k: str(v) for k, v in options.items() if v is not None}
        known = log_options({"path": "/", "strict": str(self.strict).lower(), **given})
        name, key = known.mode, (known.mode, sample)
        if key not in self._plans:
            self._plans[key] = PlannedLogs(self._logs, self._stored, known, sample)
            self._say(name, self._plans[key].plan)
        return self._plans[key].rows(schema)

    def _say(self, what: str, plan: ReadPlan) -> None:
        """Note how much is read, for the report to say so."""
        said = {name: value for name, value in asdict(plan).items() if value is not None}
        self.source["read"] = {**self.source.get("read", {}), what: said}

    def _first(self) -> DataFrame:
        """LOGS, of each partition the replica that stands for it."""
        return self._logs.where(functions_of(self._logs).col("first"))

    def batches(self) -> DataFrame | None:
        return self._read(schemas.BATCHES, mode="batches", checkCrc="true")

    def records(self, sample: float | None = None) -> DataFrame | None:
        until = None if self.until is None else self.until + 1
        return self._read(
            schemas.KEYS_AND_DAMAGE if sample is None else schemas.SAMPLED_KEYS,
            sample,
            mode="records",
            startingTimestamp=self.since,
            endingTimestamp=until,
        )

    def sizes(self) -> DataFrame | None:
        f = functions_of(self._logs)
        read = self._logs.where(f.col("read"))
        return read.select("topic", "partition", f.col("stored").alias("bytes"))

    def sampled(self, most: int, look: Look, schema: pa.Schema) -> DataFrame | None:
        from pykafka_ops.spark.inputs.samples import of_files

        return of_files(self._first(), most, look, schema)

    def partitions(self) -> DataFrame | None:
        """PARTITIONS; ``end_offset`` is the end of the log, since files have no high watermark."""
        columns = ("topic", "partition", "brokers", "start", "end", "newest")

        def made(row: Mapping[str, Any]) -> Iterator[Row]:
            topic, partition, brokers, *ends = (row[name] for name in columns)
            yield topic, partition, None, brokers, None, *ends

        some = self._first().select(*columns)
        return self.keep("partitions", lambda: map_rows(some, made, schemas.PARTITIONS))

    def brokers(self) -> DataFrame | None:
        known = self._logs.where("known")
        ids = known.where(functions_of(known).col("broker").isNotNull()).select("broker").distinct()
        return self.keep(
            "brokers",
            lambda: map_rows(ids, lambda r: [(r["broker"], *[None] * 4)], schemas.BROKERS),
        )

    def log_dirs(self) -> DataFrame | None:
        f = functions_of(self._logs)
        return self._logs.where("known").select(
            "broker", "log_dir", "topic", "partition", "size", f.col("lag").alias("offset_lag"),
            f.lit(False).alias("future"),
            f.col("total").alias("total_bytes"), f.col("usable").alias("usable_bytes"),
        )  # fmt: skip

    def configs(self) -> DataFrame | None:
        """CONFIGS; settings given nowhere have Kafka's default."""
        settings = self._all_settings()

        def made(row: Mapping[str, Any]) -> Sequence[Row]:
            return config_rows([row["topic"]], settings)

        topics = self._first().select("topic").distinct()
        return self.keep("configs", lambda: map_rows(topics, made, schemas.CONFIGS))

    def _all_settings(self) -> dict[str, dict[str, str]]:
        places = [Location.of(location) for location in self._locations]
        stored = stored_settings(place.path for place in places if place.local)
        return {
            topic: {**stored.get(topic, {}), **self._settings.get(topic, {})}
            for topic in {*stored, *self._settings}
        }

    def _commits(self, **more: object) -> DataFrame:
        options = {
            "strict": str(self.strict).lower(),
            **self.wanted_groups.option("groups", "groupsPattern"),
            **self.wanted_topics.option("topics", "topicsPattern"),
            **more,
        }
        given = {key: str(value) for key, value in options.items() if value is not None}
        wish = CommitFilter(SourceOptions(given))
        return commits_in(self._commit_logs, len(self.offsets_partitions), wish)

    def commits(self) -> DataFrame | None:
        """OFFSETS; None where ``__consumer_offsets`` was not found."""
        if not self.offsets_partitions:
            return None
        if self.since is not None and "commits" not in self.source.get("read", {}):
            self._say("commits", commits_plan(self._commit_logs, self.since))
        return self._commits(since=self.since, until=self.until)

    def committed(self) -> DataFrame | None:
        """COMMITTED: what the last commit of each partition said, if it was not deleted since."""
        if not self.offsets_partitions:
            return None
        return self.keep("committed", lambda: last_commits(self._commits(until=self.until)))

    def ends(self, moments: Sequence[int], wanted: DataFrame | None = None) -> DataFrame | None:
        """LOG_ENDS, from the time indexes and the records there."""
        if wanted is not None:
            return ends(self._first(), moments, wanted)
        return self.keep(("ends", *moments), lambda: ends(self._first(), moments))

    def times(self) -> DataFrame | None:
        """TIMES, each from the record itself."""
        committed = self.committed()
        if committed is None:
            return None
        return self.keep("times", lambda: times(self._first(), committed))

    def cleaned(self) -> DataFrame | None:
        f = functions_of(self._logs)
        known = self._logs.where(f.col("known") & f.col("cleaned").isNotNull())
        names = ("broker", "log_dir", "topic", "partition")
        return known.select(*names, f.col("cleaned").alias("offset"))


def last_commits(commits: DataFrame) -> DataFrame:
    """COMMITTED from OFFSETS."""
    f = functions_of(commits)
    key = ("group", "topic", "partition")
    last = f.max_by(f.struct("offset", "leader_epoch", "metadata", "tombstone"), "log_offset")
    found = commits.groupBy(*key).agg(last.alias("last")).where(~f.col("last.tombstone"))
    return found.select(*key, "last.offset", "last.leader_epoch", "last.metadata")
