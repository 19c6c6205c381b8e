"""Sections in tables of a catalog of Spark's: Parquet in its own, what other catalogs make in
theirs (Iceberg, Delta). A run that is written again replaces its rows."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from pykafka_ops.errors import PkoError, StorageError, UsageError
from pykafka_ops.spark.model import Report
from pykafka_ops.spark.output.table_rows import RUN_DATE, RUN_ID, TableName, TableRun, rows_table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_OWN: Final = "spark_catalog"
_VIEW: Final = "pko_rows_of_a_run"
_PLAIN: Final = ("parquet", "orc", "hive")
"""Providers whose tables are directories: a partition is what can be replaced in one step."""
_JARS: Final = {
    "iceberg": "--packages org.apache.iceberg:iceberg-spark-runtime-SPARK_2.13:VERSION",
    "delta": "--packages io.delta:delta-spark_SPARK_2.13:VERSION",
}
_MISSING: Final = ("ClassNotFoundException", "CATALOG_NOT_FOUND", "Cannot find catalog plugin",
                   "DATA_SOURCE_NOT_FOUND", "Failed to find the data source")  # fmt: skip
_OTHER_SPARK: Final = ("IncompatibleClassChangeError", "NoSuchMethodError", "NoClassDefFoundError",
                       "AbstractMethodError", "NoSuchFieldError")  # fmt: skip


class CatalogTables:
    """The tables that ``text`` begins; ``form`` is what new ones are made of (None: as the catalog
    has it, Parquet in Spark's own). ``open`` them before any work is done.

    Raises UsageError for what is no name.
    """

    def __init__(self, text: str, form: str | None) -> None:
        self._name, self._form = TableName.of(text), form
        self._class = ""
        self._session: SparkSession | None = None

    @property
    def _spark(self) -> SparkSession:
        assert self._session is not None
        return self._session

    def open(self, spark: SparkSession) -> None:
        """Raises UsageError for a catalog that the session does not have, or that it forgets."""
        self._session, name = spark, self._name
        setting = f"spark.sql.catalog.{name.catalog}"
        self._class = spark.conf.get(setting, None) or ""
        if name.catalog != _OWN and not self._class:
            raise UsageError(
                f"--output-table: Spark has no catalog {name.catalog}: give --conf {setting}=CLASS "
                "and what that needs, such as org.apache.iceberg.spark.SparkCatalog"
            )
        if name.catalog == _OWN and self._is_in_memory():
            raise UsageError(
                "--output-table: this session forgets its own catalog when it ends: name another "
                "as CATALOG.DATABASE.NAME, or give --conf spark.sql.catalogImplementation=hive"
            )
        with self._told():
            self._sql(f"CREATE NAMESPACE IF NOT EXISTS {name.database}")

    def _is_in_memory(self) -> bool:
        return self._spark.conf.get("spark.sql.catalogImplementation", "") == "in-memory"

    def write(self, report: Report, source: str, whole: Collection[str] = ()) -> None:
        """Put the rows of a run into the table of each section but those that are ``whole``, where
        they are already. Raises StorageError."""
        run = TableRun(source, report.now)
        with self._told():
            for section in report.sections:
                if section.name not in whole:
                    frame = self._spark.createDataFrame(rows_table(section, run)).coalesce(1)
                    self._write(self._name.table(report.kind, section.name), frame, run)

    def write_frame(self, kind: str, section: str, frame: DataFrame, run: TableRun) -> str:
        """Put the rows of a frame, which has the columns of the table, into it; its name.
        Executors do. Raises StorageError."""
        table = self._name.table(kind, section)
        with self._told():
            self._write(table, frame, run)
        return table.replace("`", "")

    def _write(self, table: str, frame: DataFrame, run: TableRun) -> None:
        if not self._spark.catalog.tableExists(table):
            self._create(table, frame)
        frame = self._fitting(table, frame)
        if self._provider(table) in _PLAIN:
            self._replace_partition(table, frame, run)
            return
        from pyspark.sql import functions as f

        same = (f.col(RUN_DATE) == f.lit(run.date)) & (f.col(RUN_ID) == f.lit(run.id))
        frame.writeTo(table).overwrite(same)

    def _create(self, table: str, frame: DataFrame) -> None:
        form = self._form or ("parquet" if self._name.catalog == _OWN else None)
        columns = ", ".join(_declared(field) for field in frame.schema.fields)
        using = f" USING {form}" if form else ""
        # by the run, too: Iceberg replaces whole files, and its bounds of texts have 16 characters
        parts = f"{RUN_DATE}, {RUN_ID}"
        self._sql(f"CREATE TABLE IF NOT EXISTS {table} ({columns}){using} PARTITIONED BY ({parts})")

    def _fitting(self, table: str, frame: DataFrame) -> DataFrame:
        """The frame with the columns of the table, in their order; those that the table lacks are
        added to it."""
        from pyspark.sql import functions as f

        known = {field.name: field.dataType for field in self._spark.table(table).schema.fields}
        new = [field for field in frame.schema.fields if field.name not in known]
        if new:
            self._sql(f"ALTER TABLE {table} ADD COLUMNS ({', '.join(map(_declared, new))})")
            known = {field.name: field.dataType for field in self._spark.table(table).schema.fields}
        mine = {field.name: field.dataType for field in frame.schema.fields}
        columns = []
        for name, kind in known.items():
            if name not in mine:
                columns.append(f.lit(None).cast(kind).alias(name))
                continue
            if mine[name] != kind and not _casts(mine[name].typeName(), kind.typeName()):
                raise StorageError(
                    f"--output-table: {table.replace('`', '')}.{name} is {kind.simpleString()}, "
                    f"and is now {mine[name].simpleString()}: give another name"
                )
            columns.append(f.col(f"`{name}`").cast(kind).alias(name))
        return frame.select(*columns)

    def _provider(self, table: str) -> str:
        rows = self._sql(f"DESCRIBE TABLE EXTENDED {table}").collect()
        return next((r["data_type"].lower() for r in rows if r["col_name"] == "Provider"), "")

    def _replace_partition(self, table: str, frame: DataFrame, run: TableRun) -> None:
        """The rows of a run as a partition, which is named: others stay as they are."""
        own = (RUN_DATE, RUN_ID)
        names = ", ".join(f"`{name}`" for name in frame.columns if name not in own)
        where = f"{RUN_DATE} = '{run.date}', {RUN_ID} = '{run.id}'"
        frame.createOrReplaceTempView(_VIEW)
        try:
            self._sql(
                f"INSERT OVERWRITE TABLE {table} PARTITION ({where}) SELECT {names} FROM {_VIEW}"
            )
        finally:
            self._spark.catalog.dropTempView(_VIEW)

    def _sql(self, text: str) -> Any:
        return self._spark.sql(text)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """One line for what a catalog says."""
        quiet = logging.getLogger("SQLQueryContextLogger")  # PySpark logs what it raises, too
        before, quiet.disabled = quiet.disabled, True
        try:
            yield
        except PkoError:
            raise
        except Exception as error:
            raise self._error(error) from error
        finally:
            quiet.disabled = before

    def _error(self, error: Exception) -> PkoError:
        from pykafka_ops.spark.failures import explained

        said = f"{error}\n{getattr(error, 'java_exception', '')}"
        what = self._class or self._form or ""
        jar = next((f": give {jar}" for word, jar in _JARS.items() if word in what.lower()), "")
        if _has(said, _OTHER_SPARK):
            return UsageError(
                f"--output-table: the jar of {what or self._name.catalog} is not for Spark "
                f"{self._spark.version}{jar}"
            )
        if _has(said, _MISSING):
            hint = jar or ": give the jar that has it (--packages)"
            return UsageError(f"--output-table: Spark does not find {what}{hint}")
        return StorageError(f"--output-table: {str(explained(error)).removeprefix('Spark: ')}")


def _declared(field: Any) -> str:
    return f"`{field.name}` {field.dataType.simpleString()}"


def _casts(mine: str, other: str) -> bool:
    """Whether no value is lost on the way from one type to the other."""
    return other == "string" or (mine, other) in (
        ("long", "double"), ("long", "decimal"), ("integer", "long"), ("string", "varchar"),
        ("timestamp", "timestamp_ntz"),
    )  # fmt: skip


def _has(said: str, words: Sequence[str]) -> bool:
    return any(word in said for word in words)
