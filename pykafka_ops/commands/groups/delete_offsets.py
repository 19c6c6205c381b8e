"""``pko groups delete-offsets``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pykafka_ops.client import group_offsets
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.generation import is_kafka_4
from pykafka_ops.client.group_describe import SHARE, GroupDescription, describe_groups
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.share_offsets import delete_share_offsets
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.failures import item_error, java_text
from pykafka_ops.commands.framework.output import PLACE, Column, Table, rows_of
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.groups import select
from pykafka_ops.commands.groups.kafka4_deleted import deleted_text
from pykafka_ops.commands.groups.topic_words import missing_topics, partitions_of
from pykafka_ops.errors import KafkaError, PkoError, UsageError
from pykafka_ops.wire.codes import ErrorCode

COLUMNS = (*PLACE, Column("deleted"))


def delete_offsets(run: Run) -> Table | int:
    """Delete the committed offsets of the partitions named."""
    args = run.args
    group = args.text("group")
    if group is None or not args.has("topic"):
        raise UsageError("which offsets? give the group and --topic TOPIC or TOPIC:0,2")
    cluster = select.cluster(run)
    wanted, missing = partitions_of(cluster, args)
    if not run.confirm(f"forget offsets of group {group}", [f"{t}-{p}" for t, p in wanted]):
        return 1
    found = group_offsets.delete_offsets(cluster, group, wanted) if wanted else {}
    if isinstance(found, PkoError) and select.is_missing(found) and not args.flags:
        found = _of_share_group(cluster, args, group, wanted) or found
    results: dict[Partition, PkoError | None] = {}
    if isinstance(found, PkoError) and not args.flags:
        if select.is_missing(found):
            errors = select.missing_groups(cluster, [group])
        else:
            errors = [item_error(group, found)]
        return Table("offsets-deleted", COLUMNS, [], errors=errors)
    if isinstance(found, PkoError):
        results.update(dict.fromkeys(wanted, found))
    else:
        results.update(found)
    rows = rows_of(COLUMNS, ((*p, error is None) for p, error in results.items()))
    if args.flags:
        unknown = KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        results.update(dict.fromkeys(((t, -1) for t in missing), unknown))
        rows += rows_of(COLUMNS, ((t, -1, False) for t in missing))
        overall = found if isinstance(found, PkoError) else None
        if is_kafka_4(cluster):
            parts = (e for (_, p), e in results.items() if e is not None and p >= 0)
            text = deleted_text(group, overall or next(parts, None), results)
        else:
            text = _kafka_text(group, args.texts("topic"), overall, results)
        return Table("offsets-deleted", COLUMNS, rows, kafka=text)
    errors = [
        item_error(f"{t}-{p}", error) for (t, p), error in results.items() if error is not None
    ]
    errors += missing_topics(cluster, missing)
    return Table("offsets-deleted", COLUMNS, [r for r in rows if r["deleted"]], errors=errors)


def _of_share_group(
    cluster: Cluster, args: Args, group: str, wanted: list[Partition]
) -> dict[Partition, KafkaError | None] | None:
    """How it went with the partitions of a share group, which forgets whole topics; None where it
    is none."""
    described = describe_groups(cluster, [group], every_kind=True)[group]
    if not isinstance(described, GroupDescription) or described.type != SHARE:
        return None
    if any(":" in word for word in args.texts("topic")):
        raise UsageError(
            f"group {group} is a share group, which forgets whole topics: --topic TOPIC"
        )
    done = delete_share_offsets(cluster, group, dict.fromkeys(t for t, _ in wanted))
    return {(t, p): done[t] for t, p in wanted}


def _kafka_text(
    group: str,
    words: list[str],
    overall: PkoError | None,
    results: Mapping[Partition, PkoError | None],
) -> Iterator[str]:
    if overall is not None:
        yield f"\nError: {_overall(group, overall)}\n"
    elif any(e for (_, p), e in results.items() if p >= 0):
        yield "\nError: Encounter some partition level error, see the follow-up details:\n"
    else:
        topics = ",".join(words)
        yield f"Request succeed for deleting offsets with topic {topics} group {group}\n"
    yield f"\n{'TOPIC':<30} {'PARTITION':<15} {'STATUS':<15}\n"
    for (topic, index), error in sorted(results.items()):
        where = index if index >= 0 else "Not Provided"
        status = f"Error: :{java_text(error)}" if error else "Successful"
        yield f"{topic:<30} {where:<15} {status:<15}\n"


def _overall(group: str, error: PkoError) -> str:
    code = error.code if isinstance(error, KafkaError) else None
    if code == ErrorCode.INVALID_GROUP_ID:
        return f"'{group}' is not valid."
    if code == ErrorCode.GROUP_ID_NOT_FOUND:
        return f"'{group}' does not exist."
    if code == ErrorCode.GROUP_AUTHORIZATION_FAILED:
        return f"Access to '{group}' is not authorized."
    if code == ErrorCode.NON_EMPTY_GROUP:
        return (
            f"Deleting offsets of a consumer group '{group}' is forbidden if the group is not "
            "empty."
        )
    return f"Encounter some unknown error: {java_text(error)}"
