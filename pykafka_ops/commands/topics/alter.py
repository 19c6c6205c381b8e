"""``pko topics alter``: grow topics; in our tongue their settings can change too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pykafka_ops.client import configs, topics
from pykafka_ops.client.topic_changes import create_partitions
from pykafka_ops.commands.configs.known import TOPICS, hinted
from pykafka_ops.commands.framework.failures import item_error, raise_first
from pykafka_ops.commands.framework.output import Column, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.topics.kafka import in_kafkas_words
from pykafka_ops.commands.topics.values import parse_assignment, parse_configs, select
from pykafka_ops.errors import KafkaError, PkoError, UsageError


def alter(run: Run) -> Table | None:
    """Each topic that exists; raises the first refusal in Kafka's tongue."""
    names, errors = select(run, [t.name for t in topics.all_topics(run.cluster())])
    if in_kafkas_words(run):
        if names:
            raise_first(_grow(run, names).values())
        return None
    args = run.args
    if not (args.has("partitions") or args.has("config") or args.has("delete-config")):
        raise UsageError("what to change? -p N, -c NAME=VALUE or --delete-config NAME")
    changed: dict[str, PkoError | None] = dict.fromkeys(names)
    if args.has("config") or args.has("delete-config"):
        changed.update(_alter_settings(run, names))
    if args.has("partitions"):
        changed.update(_grow(run, [n for n in names if changed[n] is None]))
    errors += [item_error(n, e) for n, e in changed.items() if e is not None]
    rows = [{"topic": n} for n, e in changed.items() if e is None]
    notes = ["dry run: nothing was changed"] if args.has("dry-run") else []
    return Table("altered-topics", (Column("topic", "ALTERED"),), rows, errors=errors, notes=notes)


def _grow(run: Run, names: Sequence[str]) -> Mapping[str, KafkaError | None]:
    args = run.args
    total = args.number("partitions") or 0
    assignment = parse_assignment(args.text("replica-assignment") or "")
    totals: dict[str, tuple[int, list[list[int]] | None]] = {}
    if assignment:
        for name, topic in topics.describe_topics(run.cluster(), names).items():
            have = len(topic.partitions) if isinstance(topic, topics.TopicDescription) else 0
            totals[str(name)] = (total, [b for i, b in assignment.items() if i >= have])
    else:
        totals = dict.fromkeys(names, (total, None))
    if not totals:
        return {}
    return create_partitions(run.cluster(), totals, validate_only=args.has("dry-run"))


def _alter_settings(run: Run, names: Sequence[str]) -> dict[str, PkoError | None]:
    pairs = parse_configs(run.args.texts("config"))
    changes: list[tuple[configs.AlterOp, str, str | None]] = [
        (configs.AlterOp.SET, k, v) for k, v in pairs.items()
    ]
    changes += [(configs.AlterOp.DELETE, k, None) for k in run.args.names("delete-config")]
    wanted = {configs.ConfigResource(configs.TOPIC, n): changes for n in names}
    done = configs.alter_configs(run.cluster(), wanted, validate_only=run.args.has("dry-run"))
    keys = [key for _, key, _ in changes]
    return {r.name: hinted(e, TOPICS, keys) if e else None for r, e in done.items()}
