"""What was written is read, from every broker; where nothing is written, what is there."""

from __future__ import annotations

from pykafka_ops.analysis.counted import counted
from pykafka_ops.client.fetch import FetchedBatches, fetch, records_from
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.offsets import EARLIEST, LATEST, list_offsets
from pykafka_ops.client.smoke.site import NothingToDoError, SmokeSite, StepError
from pykafka_ops.disk.batch import ensure_valid, scan
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import PkoError

ROOM = 1 << 20


def consume(site: SmokeSite) -> str:
    """Read each record back, or the last ones there are."""
    if site.read_only:
        return _look(site)
    for partition, (offset, wanted) in site.written.items():
        got = site.until(
            lambda p=partition, o=offset: first_at(site, p, o),  # type: ignore[misc]
            lambda p=partition, o=offset: StepError(site.at(p), f"no record comes at offset {o}"),  # type: ignore[misc]
        )
        same = (got.offset, got.key, got.value, list(got.headers)) == (
            offset, wanted.key, wanted.value, list(wanted.headers)
        )  # fmt: skip
        if not same:
            reason = f"another record than the one written came at offset {offset}"
            raise StepError(site.at(partition), reason)
    return f"the same from {counted(list(site.written), 'broker')}"


def first_at(site: SmokeSite, partition: Partition, offset: int) -> Record | None:
    """The first record from an offset on; None while there is none. StepError."""
    found = fetch(site.cluster, {partition: offset}, partition_bytes=ROOM)[partition]
    return next(records_from(checked(site, partition, found).records, offset), None)


def checked(
    site: SmokeSite, partition: Partition, found: FetchedBatches | PkoError
) -> FetchedBatches:
    """Batches that are whole; StepError where they are not, or there are none."""
    if isinstance(found, PkoError):
        raise StepError(site.at(partition), site.in_words(found))
    try:
        for position, header in scan(found.records):
            ensure_valid(found.records, position, header)
    except PkoError as error:
        raise StepError(site.at(partition), site.in_words(error)) from None
    return found


def _look(site: SmokeSite) -> str:
    """Read the last record of a partition that each broker leads."""
    if site.named and site.named not in [t.name for t in site.topics]:
        raise StepError(f"topic {site.named}", "does not exist")
    leaders = _leaders(site)
    starts = site.every(list_offsets(site.cluster, dict.fromkeys(leaders, EARLIEST)))
    ends = site.every(list_offsets(site.cluster, dict.fromkeys(leaders, LATEST)))
    full = [p for p in leaders if ends[p].offset > starts[p].offset]
    site.places = {leaders[p]: p for p in reversed(full)}
    wanted = {p: ends[p].offset - 1 for p in site.places.values()}
    if not wanted:
        raise NothingToDoError("there is no record to read")
    for p, found in fetch(site.cluster, wanted, partition_bytes=ROOM).items():
        checked(site, p, found)
    count = counted(list(site.nodes), "broker")
    return f"read from {len(wanted)} of {count}" if len(wanted) < len(site.nodes) else (
        f"read from {count}"
    )  # fmt: skip


def _leaders(site: SmokeSite) -> dict[Partition, int]:
    """The partitions that have a leader, those of internal topics last."""
    topics = sorted(site.topics, key=lambda t: t.internal)
    return {
        (topic.name, p.number): p.leader
        for topic in topics
        if site.named in (None, topic.name)
        for p in topic.partitions
        if p.leader in site.nodes
    }
