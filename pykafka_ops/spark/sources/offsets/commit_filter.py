"""Which commits are wanted: the options of ``kafka-offsets`` that hold for files and clusters."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql.types import StructType

from pykafka_ops.spark import schemas
from pykafka_ops.spark.decode.commits import CommitDecoder
from pykafka_ops.spark.sources.options import SourceOptions


class CommitFilter:
    """``groups`` or ``groupsPattern``, ``topics`` or ``topicsPattern``, ``since`` and ``until``
    (ms, both included), ``strict``."""

    def __init__(self, options: SourceOptions) -> None:
        self.options = options
        self.groups = options.names("groups", "groupsPattern")
        self.topics = options.names("topics", "topicsPattern")
        self.since, self.until = options.moment("since"), options.moment("until")
        self.strict = options.flag("strict", default=False)

    def decoder(self) -> CommitDecoder:
        """A decoder that leaves out what is not wanted."""
        return CommitDecoder(self.groups, self.topics, self.since, self.until)

    @staticmethod
    def cut(made: pa.RecordBatch, schema: StructType) -> Iterator[pa.RecordBatch]:
        """The columns of ``schema`` of some commits, if there are any."""
        if not made.num_rows:
            return
        arrow = schemas.arrow(schema)
        if arrow.names:
            yield pa.RecordBatch.from_arrays([made[n] for n in arrow.names], schema=arrow)
        else:
            yield made.select([])
