"""``pko topics list``: names in Kafka's form; with sizes and health in ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pykafka_ops.client.topics import TopicDescription, all_topics
from pykafka_ops.commands.framework.output import Column, ItemError, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.topic_filter import included
from pykafka_ops.commands.old_door import is_old
from pykafka_ops.commands.topics.values import COUNTED, select
from pykafka_ops.wire.types import ZERO_UUID, uuid_text

if TYPE_CHECKING:
    from pykafka_ops.commands.topics.described import DescribedTopic

COLUMNS = (
    *COUNTED,
    Column("under_replicated", right=True, optional=True, bad=bool),
    Column("offline", right=True, optional=True, bad=bool),
    Column("internal", wide=True),
    Column("topic_id", "ID", wide=True),
)


def list_topics(run: Run) -> Table:
    """The topics meant; Kafka's tool does not mind where there are none."""
    args = run.args
    marked = _marked(run) if is_old(run) else {}
    every = [t for t in all_topics(run.cluster()) if t.name not in marked]
    every = sorted([*every, *(d.topic for d in marked.values())], key=lambda t: t.name)
    names = [t.name for t in every]
    errors: list[ItemError] = []
    if args.flags:
        exclude = args.has("exclude-internal")
        found = included(names, args.text("topic"), exclude_internal=exclude)
    else:
        found, errors = select(run, names)
    wanted = set(found)
    rows = [_row(t) for t in every if t.name in wanted]
    lines = ["\n".join(found) + "\n"]
    if is_old(run):
        lines = [f"{n} - marked for deletion\n" if n in marked else f"{n}\n" for n in found]
    return Table("topics", COLUMNS, rows, kafka=lines, errors=errors)


def _marked(run: Run) -> dict[str, DescribedTopic]:
    from pykafka_ops.commands.topics.marked import marked_topics  # asks ZooKeeper, loads a lot

    return marked_topics(run)


def _row(t: TopicDescription) -> dict[str, object]:
    return {
        "topic": t.name,
        "partition_count": len(t.partitions),
        "replication_factor": max((len(p.replicas) for p in t.partitions), default=0),
        "under_replicated": sum(len(p.isr) < len(p.replicas) for p in t.partitions),
        "offline": sum(p.leader < 0 for p in t.partitions),
        "internal": t.internal,
        "topic_id": uuid_text(t.id) if t.id != ZERO_UUID else None,
    }
