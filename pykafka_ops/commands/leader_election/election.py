"""An election, with the time limits of Kafka's tool, and what came of it as rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.elections import PREFERRED, UNCLEAN, elect_leaders
from pykafka_ops.client.leaders import Partition
from pykafka_ops.commands.framework.failures import item_error
from pykafka_ops.commands.framework.output import PLACE, Column, ItemError, Table, rows_of
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode

API_SECONDS = 30.0
REQUEST_SECONDS = 15.0
KINDS = {"PREFERRED": PREFERRED, "UNCLEAN": UNCLEAN}
Results = dict[Partition, KafkaError | None]
COLUMNS = (*PLACE, Column("election"), Column("result", bad=lambda value: value == "failed"))
ELECTED, IDLE, FAILED = "elected", "not needed", "failed"


def cluster(run: Run) -> Cluster:
    """The cluster; unless the user sets them, a call takes 30 s at most and a request 15 s."""
    made = run.cluster()
    given = run.properties()
    if "request.timeout.ms" not in given:
        made.config.request_timeout = REQUEST_SECONDS
    if "default.api.timeout.ms" not in given:
        made.config.api_timeout = API_SECONDS
        made.config.patience = min(made.config.patience, API_SECONDS)
    return made


def elect(run: Run, kind: str, partitions: Iterable[Partition] | None) -> Results:
    """Elect; per partition None or its error. KafkaError, CallTimeoutError."""
    return elect_leaders(cluster(run), KINDS[kind], partitions)


def named(partition: Partition) -> str:
    """``orders-0``."""
    return f"{partition[0]}-{partition[1]}"


def results_table(
    kind: str, results: Results, errors: Iterable[ItemError] = (), notes: Sequence[str] = ()
) -> Table:
    """A row per partition; what failed is an error as well, behind ``errors``."""
    rows, failed = [], [*errors]
    for (topic, index), error in sorted(results.items()):
        state = ELECTED
        if error is not None and error.code == ErrorCode.ELECTION_NOT_NEEDED:
            state = IDLE
        elif error is not None:
            state = FAILED
            failed.append(item_error(named((topic, index)), error))
        rows.append((topic, index, kind.lower(), state))
    return Table("leader-election", COLUMNS, rows_of(COLUMNS, rows), errors=failed, notes=notes)
