"""``pko transactions list``."""

from __future__ import annotations

from pykafka_ops.client import transactions
from pykafka_ops.commands.framework.failures import item_error
from pykafka_ops.commands.framework.output import Column, Table, numbers, rows_of
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.transactions import kafka
from pykafka_ops.errors import KafkaError, PkoError

TITLES = ("TransactionalId", "Coordinator", "ProducerId", "TransactionState")
COLUMNS = (Column("transactional_id"), Column("state"), *numbers("producer_id", "coordinator"))


def list_transactions(run: Run) -> Table:
    """Every transactional id that the coordinators know."""
    duration = run.args.number("duration-filter")
    found, failed = transactions.list_transactions(
        run.cluster(),
        duration_ms=-1 if duration is None else duration,
        pattern=run.args.text("transactional-id-pattern") or None,
    )
    if run.args.flags:
        for broker, error in failed.items():
            raise kafka.failed("list transactions", _in_tool(broker, error))
    found.sort()
    rows = rows_of(
        COLUMNS, ((t.transactional_id, t.state, t.producer_id, t.coordinator) for t in found)
    )
    cells = [(t.transactional_id, t.coordinator, t.producer_id, t.state) for t in found]
    errors = [item_error(f"broker {broker}", error) for broker, error in sorted(failed.items())]
    return Table("transactions", COLUMNS, rows, kafka=kafka.table(TITLES, cells), errors=errors)


def _in_tool(broker: int, error: PkoError) -> PkoError:
    """As Kafka's ListTransactionsHandler words what a broker answers."""
    if not isinstance(error, KafkaError):
        return error
    what = f"ListTransactions request sent to broker {broker}"
    return PkoError(f"{what} failed with an unexpected exception")
