"""``pko topics delete``."""

from __future__ import annotations

from collections.abc import Mapping

from pykafka_ops.client.topic_changes import delete_topics
from pykafka_ops.client.topics import all_topics
from pykafka_ops.commands.framework.failures import raise_first
from pykafka_ops.commands.framework.output import Column, ItemError, Table, counted
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.old_door import is_old
from pykafka_ops.commands.topics import old
from pykafka_ops.commands.topics.kafka import in_kafkas_words
from pykafka_ops.commands.topics.marked import marked_topics
from pykafka_ops.commands.topics.values import select
from pykafka_ops.errors import KafkaError

COLUMNS = (Column("topic", "DELETED"),)


def delete(run: Run) -> Table | None:
    """Pko's form shows which and asks first; Kafka's raises the first refusal."""
    marked = marked_topics(run) if is_old(run) else {}
    known = {*(t.name for t in all_topics(run.cluster())), *marked}
    names, errors = select(run, sorted(known))
    if in_kafkas_words(run):
        if is_old(run):
            old.delete(run, names, marked)
        elif names:
            raise_first(delete_topics(run.cluster(), names).values())
        return None
    question = f"delete {counted(names, 'topic')} with all records"
    done: Mapping[str, KafkaError | None] = dict.fromkeys(names)
    notes, code = [], None
    if run.args.has("dry-run"):
        notes = ["dry run: nothing was deleted"]
    elif names and not run.confirm(question, names):
        done, notes, code = {}, ["nothing was deleted"], 1
    elif names:
        done = delete_topics(run.cluster(), names)
    errors += [ItemError.of(n, e) for n, e in done.items() if e is not None]
    rows = [{"topic": n} for n, e in done.items() if e is None]
    return Table("deleted-topics", COLUMNS, rows, errors=errors, notes=notes, exit_code=code)
