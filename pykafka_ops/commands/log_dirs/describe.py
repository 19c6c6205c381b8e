"""``log-dirs describe``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pykafka_ops.client.log_dirs import LogDir, describe_log_dirs
from pykafka_ops.commands.framework.args import java_integer
from pykafka_ops.commands.framework.failures import item_error, text_of
from pykafka_ops.commands.framework.output import Column, ItemError, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import ConnectError, KafkaError, PkoError, UsageError
from pykafka_ops.wire.codes import ErrorCode

Dirs = Mapping[int, Sequence[LogDir]]
Row = dict[str, object]


def describe(run: Run) -> Table:
    """Ask every broker meant, side by side."""
    args = run.args
    given = [args.text("topic-list") or ""] if args.flags else args.texts("topic-list")
    words = [w for text in given for w in text.split(",") if w]
    wanted = [w for w in (args.text("broker-list") or "").split(",") if w]
    asked = sorted({_broker_id(w) for w in wanted})
    live = sorted(run.cluster().brokers("listNodes"))
    unknown = [b for b in asked if b not in live]
    if unknown:
        raise UsageError(
            "ERROR: The given brokers do not exist from --broker-list: "
            f"{_ids(unknown)}. Current existent brokers: {_ids(live)}"
        )
    brokers = asked or live
    answers = describe_log_dirs(run.cluster(), brokers)
    dirs: dict[int, list[LogDir]] = {}
    errors = []
    for broker, answer in answers.items():
        if isinstance(answer, PkoError):
            errors.append(_broker_error(broker, answer))
        else:
            dirs[broker] = [_only(d, set(words)) for d in sorted(answer)]
    if args.flags and errors:
        raise ConnectError(errors[0].message)
    errors += [
        ItemError.of(f"broker {b} {d.path}", d.error) for b in dirs for d in dirs[b] if d.error
    ]
    return _table(run, brokers, dirs, errors)


def _broker_id(word: str) -> int:
    value = java_integer(word)
    if value is None:
        raise UsageError(f'For input string: "{word}"')
    return value


def _ids(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers))


def _broker_error(broker: int, error: PkoError) -> ItemError:
    return item_error(f"broker {broker}", error)


def _only(directory: LogDir, topics: set[str]) -> LogDir:
    if not topics:
        return directory
    kept = [r for r in directory.replicas if r.topic in topics]
    return directory._replace(replicas=kept)


def _table(run: Run, brokers: Sequence[int], dirs: Dirs, errors: Sequence[ItemError]) -> Table:
    by = run.args.text("by") or "dir"
    columns, rows = _BY[by](dirs)
    if run.args.has("sort-by-size"):
        rows.sort(key=lambda r: -int(str(r["bytes"])))
    if run.args.has("human") and run.output in ("table", "wide"):
        rows = [{k: _human(k, v) for k, v in row.items()} for row in rows]
    return Table(
        f"log-dirs-by-{by}" if not run.args.flags else "log-dirs",
        columns,
        rows,
        kafka=_kafka_text(brokers, dirs),
        errors=errors,
        exit_code=0 if run.args.flags else None,
    )


def _human(key: str, value: object) -> object:
    if not key.endswith("bytes") or not isinstance(value, int):
        return value
    size, units = float(value), ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]
    while abs(size) >= 1024 and len(units) > 1:
        size /= 1024
        units.pop(0)
    return f"{size:.1f} {units[0]}" if units[0] != "B" else f"{value} B"


# --- the five ways to sum up ---------------------------------------------------------------------


def _by_replica(dirs: Dirs) -> tuple[Sequence[Column], list[Row]]:
    columns = (
        Column("topic"), Column("partition", right=True), Column("broker", right=True),
        Column("bytes", right=True), Column("offset_lag", right=True),
        Column("future", optional=True), Column("dir"),
    )  # fmt: skip
    rows: list[Row] = [
        {
            "topic": r.topic,
            "partition": r.partition,
            "broker": broker,
            "bytes": r.size,
            "offset_lag": r.lag,
            "future": r.future,
            "dir": d.path,
        }
        for broker, found in dirs.items()
        for d in found
        for r in d.replicas
    ]
    rows.sort(key=lambda r: (str(r["topic"]), int(str(r["partition"])), int(str(r["broker"]))))
    return columns, rows


def _by_dir(dirs: Dirs) -> tuple[Sequence[Column], list[Row]]:
    columns = (
        Column("broker", right=True), Column("dir"), Column("replicas", right=True),
        Column("bytes", right=True), Column("usable_bytes", "FREE", right=True),
        Column("total_bytes", "TOTAL", right=True), Column("error", optional=True, bad=bool),
    )  # fmt: skip
    rows: list[Row] = [
        {
            "broker": broker,
            "dir": d.path,
            "replicas": len(d.replicas),
            "bytes": sum(r.size for r in d.replicas),
            "usable_bytes": d.usable_bytes if d.usable_bytes >= 0 else None,
            "total_bytes": d.total_bytes if d.total_bytes >= 0 else None,
            "error": text_of(d.error) if d.error else None,
        }
        for broker, found in dirs.items()
        for d in found
    ]
    return columns, rows


def _by_broker(dirs: Dirs) -> tuple[Sequence[Column], list[Row]]:
    columns = (
        Column("broker", right=True), Column("dirs", right=True), Column("replicas", right=True),
        Column("bytes", right=True), Column("usable_bytes", "FREE", right=True),
        Column("total_bytes", "TOTAL", right=True),
    )  # fmt: skip
    rows: list[Row] = []
    for broker, found in dirs.items():
        known = [d for d in found if d.total_bytes >= 0]
        rows.append(
            {
                "broker": broker,
                "dirs": len(found),
                "replicas": sum(len(d.replicas) for d in found),
                "bytes": sum(r.size for d in found for r in d.replicas),
                "usable_bytes": sum(d.usable_bytes for d in known) if known else None,
                "total_bytes": sum(d.total_bytes for d in known) if known else None,
            }
        )
    return columns, rows


def _by_topic(dirs: Dirs) -> tuple[Sequence[Column], list[Row]]:
    columns = (
        Column("topic"), Column("partitions", right=True), Column("replicas", right=True),
        Column("bytes", right=True),
    )  # fmt: skip
    rows: dict[str, Row] = {}
    numbers: dict[str, set[int]] = {}
    for found in dirs.values():
        for d in found:
            for r in d.replicas:
                row = rows.setdefault(
                    r.topic, {"topic": r.topic, "partitions": 0, "replicas": 0, "bytes": 0}
                )
                numbers.setdefault(r.topic, set()).add(r.partition)
                row["partitions"] = len(numbers[r.topic])
                row["replicas"] = int(str(row["replicas"])) + 1
                row["bytes"] = int(str(row["bytes"])) + r.size
    return columns, [rows[t] for t in sorted(rows)]


def _by_partition(dirs: Dirs) -> tuple[Sequence[Column], list[Row]]:
    columns = (
        Column("topic"), Column("partition", right=True), Column("replicas", right=True),
        Column("bytes", right=True), Column("largest_bytes", "LARGEST", right=True),
    )  # fmt: skip
    sizes: dict[tuple[str, int], list[int]] = {}
    for found in dirs.values():
        for d in found:
            for r in d.replicas:
                sizes.setdefault((r.topic, r.partition), []).append(r.size)
    rows: list[Row] = [
        {
            "topic": topic,
            "partition": number,
            "replicas": len(found),
            "bytes": sum(found),
            "largest_bytes": max(found),
        }
        for (topic, number), found in sorted(sizes.items())
    ]
    return columns, rows


_BY = {
    "replica": _by_replica,
    "dir": _by_dir,
    "broker": _by_broker,
    "topic": _by_topic,
    "partition": _by_partition,
}


# --- Kafka's text --------------------------------------------------------------------------------


def _kafka_text(brokers: Sequence[int], dirs: Dirs) -> Iterator[str]:
    import json

    yield "Querying brokers for log directories information\n"
    yield f"Received log directory information from brokers {_ids(brokers)}\n"
    listed = [
        {
            "broker": broker,
            "logDirs": [
                {"partitions": _replicas(d), "error": _class_of(d.error), "logDir": d.path}
                for d in found
            ],
        }
        for broker, found in dirs.items()
    ]
    yield json.dumps({"brokers": listed, "version": 1}, separators=(",", ":")) + "\n"


def _replicas(d: LogDir) -> list[Row]:
    return [
        {
            "partition": f"{r.topic}-{r.partition}",
            "size": r.size,
            "offsetLag": r.lag,
            "isFuture": r.future,
        }
        for r in d.replicas
    ]


def _class_of(error: KafkaError | None) -> str | None:
    if error is None:
        return None
    return f"org.apache.kafka.common.errors.{ErrorCode.of(error.code).exception_name}"
