"""Reads ``__consumer_offsets`` for ``kafka-offsets``, whoever runs its tasks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pykafka_ops.spark import schemas
from pykafka_ops.spark.schemas import narrowed
from pykafka_ops.spark.sources.filtered import FilteredReader, filtered
from pykafka_ops.spark.sources.offsets.fold import CommitFilter
from pykafka_ops.spark.sources.options import SourceOptions

if TYPE_CHECKING:
    import pyarrow as pa

    from pykafka_ops.spark.sources.reader import TaskReader


def reader(options: Mapping[str, str], schema: object = None) -> FilteredReader:
    """A reader of what is there now, of the columns in ``schema`` or of all."""
    wish = CommitFilter(SourceOptions(options))
    wanted = narrowed(schemas.OFFSETS if schema is None else schema, schemas.OFFSETS,
                      "kafka-offsets")  # fmt: skip

    def made(columns: pa.Schema) -> TaskReader:
        if wish.options.places():
            from pykafka_ops.spark.sources.offsets.files import FilesReader

            return FilesReader(wish, columns)
        from pykafka_ops.spark.sources.offsets.cluster import ClusterReader

        return ClusterReader(wish, columns)

    return filtered(made, wish.options, wanted, schemas.OFFSETS)
