"""``pko log-dirs describe``: what is on the brokers' disks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pykafka_ops.client.log_dirs import LogDirDescription, describe_log_dirs
from pykafka_ops.commands.framework.absent import check_brokers
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.failures import parted, raise_first
from pykafka_ops.commands.framework.output import Cells, ItemError, Table, with_sizes
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.topic_filter import missing_topic
from pykafka_ops.commands.framework.types import java_integer
from pykafka_ops.commands.log_dirs.sums import SUMS, Dirs
from pykafka_ops.errors import KafkaError, PkoError, UsageError
from pykafka_ops.wire.codes import ErrorCode


def describe(run: Run) -> Table:
    """Ask every broker meant, side by side."""
    args = run.args
    words = set(_given(args, "topic"))
    asked = sorted({_broker_id(w, flags=args.flags) for w in _given(args, "broker")})
    live = sorted(run.cluster().brokers("listNodes"))
    _check_there(asked, live, flags=args.flags)
    brokers = asked or live
    heard = describe_log_dirs(run.cluster(), brokers)
    if args.flags:
        raise_first(answer for answer in heard.values() if isinstance(answer, PkoError))
    answers, errors = parted(heard, "broker")
    whole = {broker: sorted(found) for broker, found in answers.items()}
    if not (args.flags or asked or errors):
        errors = _missing(words, whole)
    dirs = {b: [_only(d, words) for d in found] for b, found in whole.items()}
    errors += [
        ItemError.of(f"broker {b} {d.path}", d.error) for b in dirs for d in dirs[b] if d.error
    ]
    return _table(run, brokers, dirs, errors)


def _given(args: Args, name: str) -> list[str]:
    """Names by comma; in Kafka's form OptionError where the option is given again."""
    if args.flags:
        args.text(name)
    return args.names(name)


def _broker_id(word: str, *, flags: bool) -> int:
    value = java_integer(word)
    if value is None or (value < 0 and not flags):
        raise UsageError(
            f'For input string: "{word}"' if flags else f"{word}: brokers are named by their number"
        )
    return value


def _check_there(asked: Sequence[int], live: Sequence[int], *, flags: bool) -> None:
    unknown = [b for b in asked if b not in live]
    if unknown and flags:
        raise UsageError(
            "ERROR: The given brokers do not exist from --broker-list: "
            f"{_ids(unknown)}. Current existent brokers: {_ids(live)}"
        )
    check_brokers(unknown, live)


def _ids(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers))


def _missing(words: set[str], dirs: Dirs) -> list[ItemError]:
    """Topics of which no broker has a replica."""
    found = {r.topic for listed in dirs.values() for d in listed for r in d.replicas}
    return [missing_topic(word, found) for word in sorted(words - found)]


def _only(directory: LogDirDescription, topics: set[str]) -> LogDirDescription:
    if not topics:
        return directory
    kept = [r for r in directory.replicas if r.topic in topics]
    return directory._replace(replicas=kept)


def _table(run: Run, brokers: Sequence[int], dirs: Dirs, errors: Sequence[ItemError]) -> Table:
    by = run.args.text("by") or "dir"
    columns, rows = SUMS[by](dirs)
    if run.args.has("sort-by-size"):
        rows.sort(key=lambda r: -int(str(r["bytes"])))
    if run.args.has("human") and run.output in ("table", "wide"):
        rows = [*map(with_sizes, rows)]
    return Table(
        f"log-dirs-by-{by}" if not run.args.flags else "log-dirs",
        columns,
        rows,
        kafka=_kafka_text(brokers, dirs),
        errors=errors,
        exit_code=0 if run.args.flags else None,
    )


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


def _replicas(d: LogDirDescription) -> list[Cells]:
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
