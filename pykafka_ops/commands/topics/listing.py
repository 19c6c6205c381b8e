"""``topics list``, and which topics a command line means."""

from __future__ import annotations

from collections.abc import Sequence

from pykafka_ops.client import topics
from pykafka_ops.client.topics import Topic
from pykafka_ops.commands.framework.output import Column, ItemError, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.framework.topic_filter import chosen, included
from pykafka_ops.errors import PkoError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.types import ZERO_UUID, uuid_text


class NoSuchTopicError(PkoError):
    """The topic asked for is not there."""


def select(run: Run, names: Sequence[str]) -> tuple[list[str], list[ItemError]]:
    """The topics meant, in either tongue, and an error for each word that means none."""
    args = run.args
    exclude = args.has("exclude-internal")
    if not args.flags:
        found, missing = chosen(
            names, args.texts("topic"), regex=args.has("regex"), exclude_internal=exclude
        )
        if args.has("if-exists"):
            missing = []
        return found, [missing_topic(word) for word in missing]
    raw = args.text("topic")
    found = included(names, raw, exclude_internal=exclude)
    if raw and not found and not args.has("if-exists"):
        raise NoSuchTopicError(f"Topic 'Optional[{raw}]' does not exist as expected")
    return found, []


def missing_topic(word: str) -> ItemError:
    """The error for a topic that is not there."""
    code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    return ItemError(word, code.name, f"there is no topic {word}", code)


LIST = (
    Column("topic"),
    Column("partition_count", "PARTITIONS", right=True),
    Column("replication_factor", "REPLICAS", right=True),
    Column("under_replicated", right=True, optional=True, bad=bool),
    Column("offline", right=True, optional=True, bad=bool),
    Column("internal", wide=True),
    Column("topic_id", "ID", wide=True),
)


def list_topics(run: Run) -> Table:
    """Names in Kafka's tongue; with sizes and health in ours."""
    all_topics = topics.all_topics(run.cluster())
    names = [t.name for t in all_topics]
    if run.args.flags:
        found = included(
            names, run.args.text("topic"), exclude_internal=run.args.has("exclude-internal")
        )
        errors: list[ItemError] = []
    else:
        found, errors = select(run, names)
    wanted = set(found)
    rows = [_list_row(t) for t in all_topics if t.name in wanted]
    return Table(
        "topics", LIST, rows, kafka=["\n".join(found) + "\n"], errors=errors,
    )  # fmt: skip


def _list_row(t: Topic) -> dict[str, object]:
    return {
        "topic": t.name,
        "partition_count": len(t.partitions),
        "replication_factor": max((len(p.replicas) for p in t.partitions), default=0),
        "under_replicated": sum(len(p.isr) < len(p.replicas) for p in t.partitions),
        "offline": sum(p.leader < 0 for p in t.partitions),
        "internal": t.internal,
        "topic_id": uuid_text(t.id) if t.id != ZERO_UUID else None,
    }
