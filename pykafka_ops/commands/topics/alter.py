"""``pko topics alter``: grow topics; in pko's form their settings can change too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pykafka_ops.client import configs, topics
from pykafka_ops.client.setting_values import PresentValue
from pykafka_ops.client.topic_changes import create_partitions
from pykafka_ops.commands.configs.entity import ConfigEntity
from pykafka_ops.commands.configs.held import CHANGED, Change, changed_rows, held
from pykafka_ops.commands.configs.known import TOPICS, hinted
from pykafka_ops.commands.framework.failures import item_error, raise_first
from pykafka_ops.commands.framework.output import Cells, Column, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.old_door import is_old
from pykafka_ops.commands.topics import old
from pykafka_ops.commands.topics.kafka import in_kafkas_words
from pykafka_ops.commands.topics.values import parse_assignment, parse_configs, select
from pykafka_ops.errors import KafkaError, PkoError, UsageError

COLUMNS = (Column("topic"), *CHANGED)


def alter(run: Run) -> Table | None:
    """Each topic that exists; raises the first refusal in Kafka's form."""
    names, errors = select(run, [t.name for t in topics.all_topics(run.cluster())])
    if in_kafkas_words(run):
        if is_old(run):
            old.alter(run, names, lambda *which: _alter_settings(*which)[1], _grow)
        elif names:
            raise_first(_grow(run, names).values())
        return None
    args = run.args
    if not (args.has("partitions") or args.has("config") or args.has("delete-config")):
        raise UsageError("what to change? -p N, -c NAME=VALUE or --delete-config NAME")
    rows: list[Cells] = []
    failed: dict[str, PkoError] = {}
    if args.has("config") or args.has("delete-config"):
        done, failed = _alter_settings(run, names)
        rows += done
    if args.has("partitions"):
        more, refused = _more_partitions(run, [n for n in names if n not in failed])
        rows += more
        failed |= refused
    errors += [item_error(n, e) for n, e in failed.items()]
    rows.sort(key=lambda row: names.index(str(row["topic"])))
    notes = ["dry run: nothing was changed"] if args.has("dry-run") else []
    return Table("altered-topics", COLUMNS, rows, errors=errors, notes=notes)


def _more_partitions(run: Run, names: Sequence[str]) -> tuple[list[Cells], dict[str, PkoError]]:
    """The counts of before and after, and what was refused."""
    before = {
        t.name: len(t.partitions) for t in topics.all_topics(run.cluster()) if t.name in names
    }
    answers = _grow(run, names)
    total = run.args.number("partitions")
    rows: list[Cells] = [
        {"topic": n, "setting": "partitions", "old": before.get(n), "new": total}
        for n, error in answers.items()
        if error is None
    ]
    return rows, {n: error for n, error in answers.items() if error is not None}


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


def _alter_settings(run: Run, names: Sequence[str]) -> tuple[list[Cells], dict[str, PkoError]]:
    """The values of before and after, and what was refused."""
    pairs = parse_configs(run.args.texts("config"))
    changes: list[Change] = [(configs.AlterOp.SET, k, v) for k, v in pairs.items()]
    changes += [(configs.AlterOp.DELETE, k, None) for k in run.args.names("delete-config")]
    before = {n: _before(run, n) for n in names}
    wanted = {configs.ConfigResource(configs.TOPIC, n): changes for n in names}
    done = configs.alter_configs(run.cluster(), wanted, validate_only=run.args.has("dry-run"))
    keys = [key for _, key, _ in changes]
    failed = {r.name: hinted(e, TOPICS, keys) for r, e in done.items() if e}
    rows = [
        {"topic": n} | row
        for n in names
        if n not in failed
        for row in changed_rows(ConfigEntity([TOPICS], [n]), changes, before[n])
    ]
    return rows, failed


def _before(run: Run, name: str) -> dict[str, PresentValue] | None:
    """The settings of a topic, None where they may not be read."""
    try:
        return held(run.cluster(), ConfigEntity([TOPICS], [name]))
    except KafkaError:
        return None
