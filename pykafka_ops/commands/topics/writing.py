"""``topics create``, ``alter`` and ``delete``."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from pykafka_ops.client import configs, topic_changes, topics
from pykafka_ops.client.topic_changes import CreatedTopic, NewTopic
from pykafka_ops.commands.framework.args import Args, java_integer
from pykafka_ops.commands.framework.failures import item_error
from pykafka_ops.commands.framework.output import Column, ItemError, Table, counted
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.topics.listing import select
from pykafka_ops.errors import KafkaError, PkoError, UsageError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.types import ZERO_UUID, uuid_text

COLLISION_WARNING = (
    "WARNING: Due to limitations in metric names, topics with a period ('.') or underscore ('_') "
    "could collide. To avoid issues it is best to use either, but not both."
)


class TopicProblem(PkoError):  # noqa: N818 - a request that is refused, not a fault
    """What TopicCommand refuses on its own, in its words."""


# --- create --------------------------------------------------------------------------------------

CREATED = (
    Column("topic"),
    Column("partition_count", "PARTITIONS", right=True),
    Column("replication_factor", "REPLICAS", right=True),
    Column("topic_id", "ID"),
)


def create(run: Run) -> Table | None:
    """Create one topic (Kafka's tongue) or several alike (ours)."""
    if not in_kafkas_words(run):
        return _create_ours(run)
    _create_kafka(run)
    return None


def in_kafkas_words(run: Run) -> bool:
    """Whether to answer as Kafka's tool: its tongue, and no other format asked for."""
    return run.args.flags and run.output == "table"


def _create_kafka(run: Run) -> None:
    args = run.args
    name = args.text("topic") or ""
    partitions, factor = args.number("partitions"), args.number("replication-factor")
    assignment = parse_assignment(args.text("replica-assignment") or "")
    settings = parse_configs(args.texts("config"), strict=True)
    validate(settings)
    if "." in name or "_" in name:
        sys.stdout.write(COLLISION_WARNING + "\n")
    if factor is not None and not 1 <= factor <= 32767:
        raise TopicProblem("The replication factor must be between 1 and 32767 inclusive")
    if partitions is not None and partitions < 1:
        raise TopicProblem("The partitions must be greater than 0")
    if not name:
        raise TopicProblem("The given topic name '' cannot be represented in a request.")
    new = NewTopic(name, partitions or -1, factor or -1, assignment, settings)
    result = topic_changes.create_topics(run.cluster(), [new])[name]
    if isinstance(result, CreatedTopic):
        sys.stdout.write(f"Created topic {name}.\n")
    elif not (result.code == ErrorCode.TOPIC_ALREADY_EXISTS and args.has("if-not-exists")):
        raise result


def _create_ours(run: Run) -> Table:
    args = run.args
    names = list(dict.fromkeys(args.texts("topic")))
    assignment = parse_assignment(args.text("replica-assignment") or "")
    partitions, factor = args.number("partitions"), args.number("replication-factor")
    if assignment and (partitions or factor):
        raise UsageError("--replica-assignment says how many partitions and replicas there are")
    settings = parse_configs(args.texts("config"))
    new = [
        NewTopic(n, *((-1, -1) if assignment else (partitions or -1, factor or -1)),
                 assignment=assignment, configs=settings)
        for n in names
    ]  # fmt: skip
    done = topic_changes.create_topics(run.cluster(), new, validate_only=args.has("dry-run"))
    rows: list[dict[str, object]] = []
    errors = []
    for name in names:
        result = done[name]
        if isinstance(result, CreatedTopic):
            rows.append(_created_row(name, result))
        elif not (result.code == ErrorCode.TOPIC_ALREADY_EXISTS and args.has("if-not-exists")):
            errors.append(ItemError.of(name, result))
    if any("." in n or "_" in n for n in names):
        mixed = [n for n in names if "." in n and "_" in n]
        notes = [f"{n}: '.' and '_' look the same in metric names" for n in mixed]
    else:
        notes = []
    if args.has("dry-run"):
        notes.append("dry run: nothing was created")
    return Table("created-topics", CREATED, rows, errors=errors, notes=notes)


def _created_row(name: str, made: CreatedTopic) -> dict[str, object]:
    known = made.id != ZERO_UUID
    return {
        "topic": name,
        "partition_count": made.partitions if made.partitions > 0 else None,
        "replication_factor": made.replication_factor if made.replication_factor > 0 else None,
        "topic_id": uuid_text(made.id) if known else None,
    }


def parse_assignment(text: str) -> dict[int, list[int]]:
    """``1:2,2:3`` as brokers per partition, with TopicCommand's complaints."""
    found: dict[int, list[int]] = {}
    if not text:
        return found
    for i, part in enumerate(text.rstrip(",").split(",")):
        brokers = [_broker_id(word.strip()) for word in part.split(":")]
        twice = sorted({b for b in brokers if brokers.count(b) > 1})
        if twice:
            raise TopicProblem(
                "Partition replica lists may not contain duplicate entries: "
                + ",".join(map(str, twice))
            )
        found[i] = brokers
        if len(brokers) != len(found[0]):
            raise TopicProblem(f"Partition {i} has different replication factor: {brokers}")
    return found


def _broker_id(word: str) -> int:
    value = java_integer(word)
    if value is None:
        raise TopicProblem(f'For input string: "{word}"')
    return value


def parse_configs(pairs: Sequence[str], *, strict: bool = False) -> dict[str, str]:
    """``key=val`` pairs; ``strict`` as Kafka: no further ``=`` in a value."""
    found = {}
    for pair in pairs:
        key, _, value = (part.strip() for part in pair.partition("="))
        if not value or (strict and "=" in value):
            raise TopicProblem(
                "requirement failed: Invalid topic config: "
                'all configs to be added must be in the format "key=val".'
            )
        found[key] = value
    return found


def validate(settings: Mapping[str, str]) -> None:
    """What kafka-topics checks before it asks a broker (LogConfig.validate)."""
    if not settings:
        return
    from pykafka_ops.settings.topic import TOPIC

    for name in settings:
        if name not in TOPIC:
            raise TopicProblem(f"Unknown topic config name: {name}")
    for name, value in settings.items():
        TOPIC[name].parse(value)


# --- alter ---------------------------------------------------------------------------------------


def alter(run: Run) -> Table | None:
    """Grow topics; in our tongue their settings can change too."""
    names, errors = _existing(run)
    if in_kafkas_words(run):
        _alter_kafka(run, names)
        return None
    args = run.args
    if not (args.has("partitions") or args.has("config") or args.has("delete-config")):
        raise UsageError("what to change? -p N, -c NAME=VALUE or --delete-config NAME")
    changed: dict[str, PkoError | None] = dict.fromkeys(names)
    if args.has("config") or args.has("delete-config"):
        changed.update(_alter_settings(run, names))
    if args.has("partitions"):
        grown = _grow(run, [n for n in names if changed[n] is None])
        changed.update(grown)
    errors += [item_error(n, e) for n, e in changed.items() if e is not None]
    rows = [{"topic": n} for n, e in changed.items() if e is None]
    notes = ["dry run: nothing was changed"] if args.has("dry-run") else []
    return Table("altered-topics", (Column("topic", "ALTERED"),), rows, errors=errors, notes=notes)


def _existing(run: Run) -> tuple[list[str], list[ItemError]]:
    return select(run, [t.name for t in topics.all_topics(run.cluster())])


def _alter_kafka(run: Run, names: Sequence[str]) -> None:
    if names:
        for error in _grow(run, names).values():
            if error is not None:
                raise error


def _grow(run: Run, names: Sequence[str]) -> Mapping[str, KafkaError | None]:
    args: Args = run.args
    total = args.number("partitions") or 0
    assignment = parse_assignment(args.text("replica-assignment") or "")
    totals: dict[str, tuple[int, list[list[int]] | None]] = {}
    if assignment:
        for name, topic in topics.describe_topics(run.cluster(), names).items():
            have = len(topic.partitions) if isinstance(topic, topics.Topic) else 0
            totals[str(name)] = (total, [b for i, b in assignment.items() if i >= have])
    else:
        totals = dict.fromkeys(names, (total, None))
    if not totals:
        return {}
    return topic_changes.create_partitions(run.cluster(), totals, validate_only=args.has("dry-run"))


def _alter_settings(run: Run, names: Sequence[str]) -> dict[str, PkoError | None]:
    pairs = parse_configs(run.args.texts("config"))
    changes: list[tuple[configs.Op, str, str | None]] = [
        (configs.Op.SET, k, v) for k, v in pairs.items()
    ]
    changes += [(configs.Op.DELETE, k, None) for k in run.args.texts("delete-config")]
    wanted = {configs.Resource(configs.TOPIC, n): changes for n in names}
    done = configs.alter_configs(run.cluster(), wanted, validate_only=run.args.has("dry-run"))
    return {resource.name: error for resource, error in done.items()}


# --- delete --------------------------------------------------------------------------------------


def delete(run: Run) -> Table | None:
    """Delete topics; ours shows which and asks first."""
    names, errors = _existing(run)
    if in_kafkas_words(run):
        for error in topic_changes.delete_topics(run.cluster(), names).values() if names else ():
            if error is not None:
                raise error
        return None
    column = (Column("topic", "DELETED"),)
    if run.args.has("dry-run"):
        rows = [{"topic": n} for n in names]
        return Table("deleted-topics", column, rows, errors=errors,
                     notes=["dry run: nothing was deleted"])  # fmt: skip
    if names and not run.confirm(f"delete {counted(names, 'topic')} with all records", names):
        return Table("deleted-topics", column, [], errors=errors, notes=["nothing was deleted"],
                     exit_code=1)  # fmt: skip
    done = topic_changes.delete_topics(run.cluster(), names) if names else {}
    errors += [ItemError.of(n, e) for n, e in done.items() if e is not None]
    rows = [{"topic": n} for n, e in done.items() if e is None]
    return Table("deleted-topics", column, rows, errors=errors)
