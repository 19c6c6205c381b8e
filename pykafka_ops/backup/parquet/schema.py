"""The columns of a backup's Parquet files: a row per committed record."""

from __future__ import annotations

from typing import Any, Final

from pykafka_ops.errors import UsageError

SUFFIX: Final = ".parquet"
NO_TIME: Final = -1
CREATE_TIME: Final = "CreateTime"
APPEND_TIME: Final = "LogAppendTime"


def arrow() -> Any:
    """PyArrow. Raises UsageError where it is missing."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise UsageError(
            "backups as Parquet take PyArrow: pip install 'pykafka-ops[spark]'"
        ) from None
    return pyarrow


def schema() -> Any:
    """Of every file. Raises UsageError as ``arrow``."""
    pa = arrow()
    word = pa.dictionary(pa.int8(), pa.string())
    header = pa.struct([("key", pa.string()), ("value", pa.binary())])
    return pa.schema(
        [
            pa.field("offset", pa.int64(), nullable=False),
            pa.field("timestamp", pa.timestamp("ms", "UTC")),
            pa.field("timestamp_type", word),
            pa.field("key", pa.binary()),
            pa.field("value", pa.binary()),
            pa.field("headers", pa.list_(header)),
            pa.field("leader_epoch", pa.int32()),
            pa.field("producer_id", pa.int64()),
            pa.field("producer_epoch", pa.int16()),
            pa.field("sequence", pa.int32()),
            pa.field("compression", word),
        ]
    )
