"""A group: join it, be given a partition, commit, read the commit, leave."""

from __future__ import annotations

from pykafka_ops.analysis.counted import counted
from pykafka_ops.client.group_offsets import Committed, commit_offsets, fetch_offsets
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.membership import GroupMember, assign, join, leave
from pykafka_ops.client.smoke.site import SmokeSite, StepError
from pykafka_ops.client.topics import TopicDescription, describe_topics
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode

NO_COORDINATOR = (
    ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_COORDINATOR,
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
)


def group(site: SmokeSite) -> str:
    """Be a member of a group of its own for a moment."""
    partition, (offset, _) = next(iter(site.written.items()))
    try:
        member = site.member = join(site.cluster, site.name, [site.topic])
        site.group_made = True
        given = assign(site.cluster, member, [partition])
        if given != [partition]:
            raise StepError(_where(site, member), f"the assignment came back as {given}")
        _commit(site, member, partition, offset + 1)
        leave(site.cluster, member)
        site.member = None
    except StepError:
        raise
    except PkoError as error:
        where = _where(site, site.member)
        hint = internal(site, "__consumer_offsets", error)
        raise StepError(where, site.in_words(error) + hint) from None
    return f"joined, committed, left; coordinator {member.coordinator}"


def _commit(site: SmokeSite, member: GroupMember, partition: Partition, offset: int) -> None:
    done = commit_offsets(
        site.cluster,
        site.name,
        {partition: Committed(offset, -1, "")},
        member_id=member.member_id,
        generation=member.generation,
    )
    if isinstance(done, PkoError):
        raise done
    for error in done.values():
        if error is not None:
            raise error
    found = fetch_offsets(site.cluster, [site.name])[site.name]
    if isinstance(found, PkoError):
        raise found
    kept = found.get(partition)
    if not isinstance(kept, Committed) or kept.offset != offset:
        what = kept.offset if isinstance(kept, Committed) else "none"
        raise StepError(_where(site, member), f"committed offset {offset}, read {what}")


def _where(site: SmokeSite, member: GroupMember | None) -> str:
    known = member is not None and member.coordinator >= 0
    return f"group coordinator {member.coordinator}" if known and member else "group coordinator"


def internal(site: SmokeSite, name: str, error: PkoError) -> str:
    """What is wrong with an internal topic, in brackets, where coordinators cannot be had."""
    cause = getattr(error, "trouble", None) or error
    if not isinstance(cause, KafkaError) or cause.code not in NO_COORDINATOR:
        return ""
    try:
        found = describe_topics(site.cluster, [name])[name]
    except PkoError:
        return ""
    if not isinstance(found, TopicDescription):
        return f" ({name} is not there: does it want more replicas than there are brokers?)"
    without = [p for p in found.partitions if p.leader < 0]
    if without:
        return f" ({counted(without, 'partition')} of {name} without a leader)"
    few = [p for p in found.partitions if len(p.isr) < len(p.replicas)]
    return f" ({counted(few, 'partition')} of {name} with replicas out of sync)" if few else ""
