"""kafka-leader-election: its text, in the order of Java's hash sets."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from pykafka_ops.analysis.java_hash import java_hash
from pykafka_ops.client.cluster import CallTimeoutError
from pykafka_ops.client.leaders import Partition
from pykafka_ops.commands.framework.failures import java_text, security_class, text_of
from pykafka_ops.commands.framework.output import Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.leader_election import partitions as election
from pykafka_ops.commands.leader_election.election_file import read_file
from pykafka_ops.commands.leader_election.partitions import Results, named, results_table
from pykafka_ops.errors import KafkaError, PkoError, UsageError
from pykafka_ops.wire.codes import ErrorCode


class ElectionError(PkoError):
    """What Kafka's tool ends with (AdminCommandFailedException)."""


def wanted(run: Run) -> list[Partition] | None:
    """The partitions named by a file or by --topic and --partition; None: all."""
    args = run.args
    if args.has("file"):
        return read_file(args.text("file") or "")
    topic = args.text("topic") if args.has("topic") else None
    return None if topic is None else [(topic, args.number("partition") or 0)]


def elect(run: Run) -> Table | None:
    """``--election-type T``; ElectionError where a partition failed."""
    kind = (run.args.text("election-type") or "").upper()
    partitions = wanted(run)
    if run.output != "table":
        return results_table(kind, election.elect(run, kind, partitions))
    try:
        results = election.elect(run, kind, partitions)
    except UsageError:
        raise
    except PkoError as error:
        raise _failed(error) from error
    _report(kind, {p: results[p] for p in in_java_order(results)})
    return None


def _failed(error: PkoError) -> ElectionError:
    """The call as a whole failed."""
    if isinstance(error, CallTimeoutError):
        message = "Timeout waiting for election results"
    elif isinstance(error, KafkaError) and error.code == ErrorCode.CLUSTER_AUTHORIZATION_FAILED:
        message = "Not authorized to perform leader election"
    else:
        of_java = isinstance(error, KafkaError) or security_class(error)
        text = java_text(error) if of_java else text_of(error)
        return ElectionError(f"java.util.concurrent.ExecutionException: {text}")
    sys.stdout.write(f"{message}\n")
    return ElectionError(message)


def _report(kind: str, results: Results) -> None:
    done = in_java_order(p for p, error in results.items() if error is None)
    idle = in_java_order(
        p for p, e in results.items() if e and e.code == ErrorCode.ELECTION_NOT_NEEDED
    )
    failed = {p: e for p, e in results.items() if e and e.code != ErrorCode.ELECTION_NOT_NEEDED}
    if done:
        names = ", ".join(map(named, done))
        sys.stdout.write(
            f"Successfully completed leader election ({kind}) for partitions {names}\n"
        )
    if idle:
        sys.stdout.write(
            f"Valid replica already elected for partitions {', '.join(map(named, idle))}\n"
        )
    for partition in in_java_order(failed):
        sys.stdout.write(
            f"Error completing leader election ({kind}) for partition: {named(partition)}: "
            f"{java_text(failed[partition])}\n"
        )
    if failed:
        raise ElectionError(f"{len(failed)} replica(s) could not be elected")


def in_java_order(partitions: Iterable[Partition]) -> dict[Partition, None]:
    """The partitions as a HashSet of TopicPartition yields them when filled in this order."""
    given = list(partitions)
    slots = 16
    while len(given) > slots * 3 // 4:
        slots *= 2
    return dict.fromkeys(sorted(given, key=lambda p: _spread(p) & (slots - 1)))


def _spread(partition: Partition) -> int:
    """TopicPartition.hashCode as HashMap spreads it."""
    topic, index = partition
    value = (31 * (31 + index) + java_hash(topic)) & 0xFFFFFFFF
    return value ^ (value >> 16)
