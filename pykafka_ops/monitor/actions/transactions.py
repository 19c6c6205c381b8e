"""Abort a transaction that hangs in a partition."""

from __future__ import annotations

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.transactions import (
    ActiveProducer,
    abort_on,
    describe_producers,
    list_transactions,
)
from pykafka_ops.errors import PkoError, UsageError
from pykafka_ops.monitor.actions.plan import (
    TOPIC_FIELD,
    Action,
    ActionField,
    ActionPlan,
    Failures,
    Ground,
    Params,
    PlannedChange,
)
from pykafka_ops.monitor.actions.words import needed, numbers_of, topic_of, whole
from pykafka_ops.monitor.wording.text import moment


def plan_abort(cluster: Cluster, params: Params, ground: Ground) -> ActionPlan:
    """The transaction that begins at an offset of a partition, and who wrote it."""
    topic = topic_of(cluster, needed(params, "topic"))
    numbers = numbers_of(topic, needed(params, "partition"))
    if len(numbers) != 1:
        raise UsageError("partition: name one")
    start = whole(needed(params, "start-offset"), "start-offset")
    partition = (topic.name, numbers[0])
    found = describe_producers(cluster, [partition])[partition]
    if isinstance(found, PkoError):
        raise found
    producer = next((p for p in found if p.start == start), None)
    if producer is None:
        opened = ", ".join(str(p.start) for p in found if p.start >= 0) or "none"
        raise UsageError(
            f"no transaction is open in {topic.name}-{numbers[0]} from offset {start}; "
            f"open from: {opened}"
        )
    before = (
        f"open since offset {start}, producer {producer.id} epoch {producer.epoch}, "
        f"last written {moment(producer.last_timestamp)} UTC"
    )
    change = PlannedChange(f"{topic.name}-{numbers[0]}", before, "aborted")
    public = {"topic": topic.name, "partition": str(numbers[0]), "start-offset": str(start)}
    command = ("pko", "transactions", "abort", "--topic", topic.name, "--partition",
               str(numbers[0]), "--start-offset", str(start))  # fmt: skip
    steps = [numbers[0], producer.id, producer.epoch, max(producer.coordinator_epoch, 0)]
    notes = _notes(cluster, producer)
    return ActionPlan(topic.name, (change,), steps, public, public, command, notes=notes)


def run_abort(cluster: Cluster, plan: ActionPlan, ground: Ground) -> Failures:
    """Write the marker that aborts it."""
    number, producer, epoch, coordinator = plan.steps
    abort_on(cluster, (plan.name, number), producer, epoch, coordinator)
    return {}


def _notes(cluster: Cluster, producer: ActiveProducer) -> tuple[str, ...]:
    """Whether the coordinator still knows it, so that it may not hang at all."""
    listed, failed = list_transactions(cluster, producer_ids=[producer.id])
    if failed:
        return ("not every coordinator says whether it knows this transaction",)
    return tuple(
        f"its coordinator knows it as {t.transactional_id} ({t.state}): it may be at work, and "
        "pko transactions force-terminate ends it in all partitions"
        for t in listed
        if t.producer_id == producer.id
    )


ABORT_TRANSACTION = Action(
    "abort-transaction", "Abort a hanging transaction", "topic",
    (
        TOPIC_FIELD,
        ActionField("partition", "Partition", required=True),
        ActionField("start-offset", "First offset of the transaction", required=True),
    ),
    plan_abort, run_abort, typed=True,
)  # fmt: skip
