"""``pko topics create``."""

from __future__ import annotations

import sys

from pykafka_ops.client.topic_changes import CreatedTopic, NewTopic, create_topics
from pykafka_ops.commands.configs.known import TOPICS, hinted
from pykafka_ops.commands.framework.failures import item_error
from pykafka_ops.commands.framework.output import Column, Table, rows_of
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.old_door import is_old
from pykafka_ops.commands.topics.kafka import in_kafkas_words
from pykafka_ops.commands.topics.values import (
    COUNTED,
    TopicProblem,
    parse_assignment,
    parse_configs,
    validate,
)
from pykafka_ops.errors import KafkaError, UsageError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.types import ZERO_UUID, uuid_text

COLLISION_WARNING = (
    "WARNING: Due to limitations in metric names, topics with a period ('.') or underscore ('_') "
    "could collide. To avoid issues it is best to use either, but not both."
)
COLUMNS = (*COUNTED, Column("topic_id", "ID"))


def create(run: Run) -> Table | None:
    """Create one topic (Kafka's form) or several alike (ours)."""
    if not in_kafkas_words(run):
        return _several(run)
    _one(run)
    return None


def _one(run: Run) -> None:
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
    result = create_topics(run.cluster(), [new])[name]
    if isinstance(result, CreatedTopic):
        shown = f'"{name}"' if is_old(run) else name
        sys.stdout.write(f"Created topic {shown}.\n")
    elif not _forgiven(run, result):
        raise result


def _several(run: Run) -> Table:
    args = run.args
    names = args.names("topic")
    assignment = parse_assignment(args.text("replica-assignment") or "")
    partitions, factor = args.number("partitions"), args.number("replication-factor")
    if assignment and (partitions or factor):
        raise UsageError("--replica-assignment says how many partitions and replicas there are")
    settings = parse_configs(args.texts("config"))
    counts = (-1, -1) if assignment else (partitions or -1, factor or -1)
    new = [NewTopic(n, *counts, assignment=assignment, configs=settings) for n in names]
    done = create_topics(run.cluster(), new, validate_only=args.has("dry-run"))
    made, errors = [], []
    for name in names:
        result = done[name]
        if isinstance(result, CreatedTopic):
            counts = (result.partitions, result.replication_factor)
            id_ = uuid_text(result.id) if result.id != ZERO_UUID else None
            made.append((name, *(n if n > 0 else None for n in counts), id_))
        elif not _forgiven(run, result):
            errors.append(item_error(name, hinted(result, TOPICS, settings)))
    mixed = [n for n in names if "." in n and "_" in n]
    notes = [f"{n}: '.' and '_' look the same in metric names" for n in mixed]
    if args.has("dry-run"):
        notes.append("dry run: nothing was created")
    rows = rows_of(COLUMNS, made)
    return Table("created-topics", COLUMNS, rows, errors=errors, notes=notes)


def _forgiven(run: Run, error: KafkaError) -> bool:
    return error.code == ErrorCode.TOPIC_ALREADY_EXISTS and run.args.has("if-not-exists")
