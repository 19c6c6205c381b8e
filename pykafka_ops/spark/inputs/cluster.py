"""A live cluster as the input of reports."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from pykafka_ops.errors import UsageError
from pykafka_ops.spark import schemas
from pykafka_ops.spark.engines import first_rows, functions_of, row_count
from pykafka_ops.spark.inputs import InputQuery, Inputs
from pykafka_ops.spark.inputs.leaders import ends_of, pasts_of, times_of, with_offsets
from pykafka_ops.spark.inputs.untold import SHOWN, problems, told, untold
from pykafka_ops.spark.model import Problem, first_problems
from pykafka_ops.spark.sources.options import now_ms

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from pykafka_ops.spark.inputs.sampling import Look

_PLACED: Final = schemas.columns("topic string, partition int, leader int, replicas ints, isr ints")


class ClusterInputs(Inputs):
    """``properties`` are those of a Kafka client, with bootstrap.servers.

    Batches stay on the brokers' disks: ``batches`` and ``cleaned`` are None. Commits are there as
    far as the cleaner has left them.
    """

    def __init__(
        self, spark: SparkSession, properties: Mapping[str, str], query: InputQuery
    ) -> None:
        now = now_ms() if query.now is None else query.now
        super().__init__(spark, query, now, {"servers": properties.get("bootstrap.servers")})
        self._client = {f"kafka.{key}": value for key, value in properties.items()}
        self._frozen: set[str] = set()

    def freeze(self, *, groups: bool) -> None:
        for name in (*(["committed"] if groups else []), "partitions", "log_dirs"):
            if name not in self._frozen:
                getattr(self, name)().count()
                self._frozen.add(name)

    def _live(self, what: str, **options: object) -> DataFrame:
        topics = self.wanted_topics.option("subscribe", "subscribePattern")
        groups = self.wanted_groups.option("groups", "groupsPattern")
        return self.read(
            "kafka-live", {"what": what, **topics, **groups, **options, **self._client}
        )

    def records(self, sample: float | None = None) -> DataFrame | None:
        """KEYS up to where ``partitions`` saw the logs end; UsageError for a ``sample``, which is
        of segments."""
        if sample is not None:
            raise UsageError("a sample of records is of segments, which a cluster does not show")
        found = self.partitions()
        f = functions_of(found)
        ends = found.where(f.col("end_offset").isNotNull() & f.col("leader").isNotNull())
        held: dict[str, dict[str, int]] = {}
        for row in ends.select("topic", "partition", "end_offset").toArrow().to_pylist():
            held.setdefault(row["topic"], {})[str(row["partition"])] = row["end_offset"]
        options = {
            "what": "records",
            "failOnDataLoss": "false",
            "assign": json.dumps({topic: [*map(int, own)] for topic, own in held.items()}),
            "endingOffsets": json.dumps(held),
            "startingTimestamp": self.since,
            "endingTimestamp": None if self.until is None else self.until + 1,
            "startingOffsetsByTimestampStrategy": "latest",
            **self._client,
        }
        return self.read("kafka-live", options, schemas.KEYS)

    def sampled(self, most: int, look: Look, schema: pa.Schema) -> DataFrame | None:
        from pykafka_ops.spark.inputs.samples import of_cluster

        return of_cluster(self.partitions(), self._client, most, look, schema)

    def partitions(self) -> DataFrame:
        """PARTITIONS; those that could not be asked about become problems."""
        first = "partitions" not in self.frames
        found = self.keep("partitions", lambda: with_offsets(self._placed(), self._client))
        if first:
            self.widen(found.count())
            self.problems += unknown_ends(found)
        return found

    def _placed(self) -> DataFrame:
        """Where partitions are, page by page."""
        topics = self.wanted_topics.option("subscribe", "subscribePattern")
        options = {"what": "partitions", **topics, **self._client}
        return self.keep("placed", lambda: self.read("kafka-live", options, _PLACED))

    def offsets_partitions(self) -> set[int]:
        """Which partitions ``__consumer_offsets`` has; asked for at once."""
        options = {"what": "partitions", "subscribe": "__consumer_offsets", **self._client}
        found = self.read("kafka-live", options, schemas.columns("partition int"))
        return set(found.toArrow()["partition"].to_pylist())

    def brokers(self) -> DataFrame:
        return self.keep("brokers", lambda: self._live("brokers"))

    def log_dirs(self) -> DataFrame:
        """LOG_DIRS; brokers that do not tell of all their replicas become problems."""
        first = "log_dirs" not in self.frames
        found = self.keep("log_dirs", lambda: self._live("log_dirs"))
        if first:
            self.untold = untold(self.assigned(), told(found))
            self.problems += problems(self.untold)
        return found

    def configs(self) -> DataFrame:
        return self.keep("configs", lambda: self._live("configs"))

    def groups(self) -> DataFrame:
        return self.keep("groups", lambda: self._live("groups"))

    def commits(self) -> DataFrame | None:
        options = {
            "since": self.since,
            "until": self.until,
            "strict": str(self.strict).lower(),
            **self.wanted_groups.option("groups", "groupsPattern"),
            **self.wanted_topics.option("topics", "topicsPattern"),
            **self._client,
        }
        return self.read("kafka-offsets", options)

    def committed(self) -> DataFrame:
        return self.keep("committed", lambda: self._live("committed"))

    def ends(self, moments: Sequence[int], wanted: DataFrame | None = None) -> DataFrame:
        """LOG_ENDS, from the brokers' time indexes."""
        found = self.partitions()
        if wanted is not None:
            return ends_of(found, self._client, moments, wanted)
        return self.keep(("ends", *moments), lambda: ends_of(found, self._client, moments))

    def times(self) -> DataFrame:
        committed, found = self.committed(), self.partitions()
        return self.keep("times", lambda: times_of(committed, found, self._client))

    def pasts(
        self,
        moments: Sequence[int],
        readers: DataFrame | None = None,
        always: Sequence[int] = (),
    ) -> DataFrame | None:
        return pasts_of(self.partitions(), self._client, moments, readers, always)


def unknown_ends(partitions: DataFrame) -> list[Problem]:
    """A problem for each partition whose end is not known, the first ``SHOWN`` by name; where a
    cluster fails there may be as many as it has, so no more come here."""
    f = functions_of(partitions)
    rows = partitions.where(f.col("end_offset").isNull()).select("topic", "partition", "leader")
    order = [("topic", "ascending"), ("partition", "ascending")]
    missing = first_rows(rows, order, SHOWN + 1).to_pylist()
    count = row_count(rows) if len(missing) > SHOWN else len(missing)
    problems = [
        Problem(
            f"{row['topic']}-{row['partition']}",
            "no leader: its offsets are not known"
            if row["leader"] is None
            else f"broker {row['leader']} does not return its offsets",
        )
        for row in missing
    ]
    return first_problems(problems, SHOWN, "partitions", "whose offsets are not known", count)
