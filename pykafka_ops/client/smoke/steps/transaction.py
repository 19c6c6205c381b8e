"""Transactions: what is aborted is never read, what is committed is, and only then."""

from __future__ import annotations

from pykafka_ops.client.fetch import committed_from, fetch
from pykafka_ops.client.leaders import Partition
from pykafka_ops.client.smoke.site import SmokeSite, StepError
from pykafka_ops.client.smoke.steps.consume import ROOM, checked
from pykafka_ops.client.smoke.steps.group import internal
from pykafka_ops.client.smoke.steps.produce import record
from pykafka_ops.client.transactional import TransactionalProducer
from pykafka_ops.disk.record import Record
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode

TIMEOUT_MS = 10_000
"""What is killed in mid-transaction is aborted by the coordinator after that."""
FENCED = (ErrorCode.PRODUCER_FENCED, ErrorCode.INVALID_PRODUCER_EPOCH)


def transaction(site: SmokeSite) -> str:
    """Abort one, commit one, and read with read_committed."""
    try:
        try:
            producer = _transactions(site)
        except KafkaError as error:
            if error.code not in FENCED or site.transactional_id == site.name:
                raise
            site.transactional_id = site.name  # another run uses the id that was left behind, too
            producer = _transactions(site)
    except StepError:
        raise
    except PkoError as error:
        hint = internal(site, "__transaction_state", error)
        raise StepError("transaction coordinator", site.in_words(error) + hint) from None
    return f"aborted hidden, committed read; coordinator {producer.coordinator}"


def _transactions(site: SmokeSite) -> TransactionalProducer:
    partition = next(iter(site.written))
    producer = TransactionalProducer(site.cluster, site.transactional_id, TIMEOUT_MS)
    dropped, kept = record(site, "aborted"), record(site, "committed")
    producer.add([partition])
    first = producer.send(partition, [dropped])
    producer.end(commit=False)
    producer.add([partition])
    second = producer.send(partition, [kept])
    if _sees(site, partition, second, kept):
        raise StepError(site.at(partition), "read_committed gives a record of an open transaction")
    producer.end(commit=True)
    site.until(
        lambda: True if _sees(site, partition, second, kept) else None,
        lambda: StepError(
            site.at(partition), "a committed record does not come with read_committed"
        ),
    )
    if _sees(site, partition, first, dropped):
        raise StepError(
            site.at(partition), "read_committed gives a record of an aborted transaction"
        )
    return producer


def _sees(site: SmokeSite, partition: Partition, offset: int, wanted: Record) -> bool:
    """Whether a reader of committed records gets this one, looking from an offset on."""
    wish = {partition: offset}
    answer = fetch(site.cluster, wish, partition_bytes=ROOM, read_committed=True)[partition]
    found = checked(site, partition, answer)
    records = committed_from(found.records, offset, found.aborted)
    return any(r.value == wanted.value for r in records)
