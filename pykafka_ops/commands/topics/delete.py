"""``pko topics delete``."""

from __future__ import annotations

from pykafka_ops.client.topic_changes import delete_topics
from pykafka_ops.client.topics import all_topics
from pykafka_ops.commands.framework.failures import raise_first
from pykafka_ops.commands.framework.output import Column, ItemError, Table, counted
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.topics.kafka import in_kafkas_words
from pykafka_ops.commands.topics.values import select

COLUMNS = (Column("topic", "DELETED"),)


def delete(run: Run) -> Table | None:
    """Our tongue shows which and asks first; Kafka's raises the first refusal."""
    names, errors = select(run, [t.name for t in all_topics(run.cluster())])
    if in_kafkas_words(run):
        if names:
            raise_first(delete_topics(run.cluster(), names).values())
        return None
    if run.args.has("dry-run"):
        rows = [{"topic": n} for n in names]
        notes = ["dry run: nothing was deleted"]
        return Table("deleted-topics", COLUMNS, rows, errors=errors, notes=notes)
    if names and not run.confirm(f"delete {counted(names, 'topic')} with all records", names):
        notes = ["nothing was deleted"]
        return Table("deleted-topics", COLUMNS, [], errors=errors, notes=notes, exit_code=1)
    done = delete_topics(run.cluster(), names) if names else {}
    errors += [ItemError.of(n, e) for n, e in done.items() if e is not None]
    rows = [{"topic": n} for n, e in done.items() if e is None]
    return Table("deleted-topics", COLUMNS, rows, errors=errors)
