"""Every action, by the name of its right."""

from __future__ import annotations

from pykafka_ops.monitor.actions.config import BROKER_CONFIG, CONFIG
from pykafka_ops.monitor.actions.elect import ELECT, ELECT_UNCLEAN
from pykafka_ops.monitor.actions.moves import CANCEL_MOVE
from pykafka_ops.monitor.actions.plan import Action
from pykafka_ops.monitor.actions.records import DELETE_RECORDS
from pykafka_ops.monitor.actions.seek import SEEK, UNDO
from pykafka_ops.monitor.actions.throttle import THROTTLE, UNTHROTTLE
from pykafka_ops.monitor.actions.transactions import ABORT_TRANSACTION

EVERY: dict[str, Action] = {
    action.right: action
    for action in (
        SEEK, UNDO, ELECT, ELECT_UNCLEAN, CONFIG, BROKER_CONFIG, CANCEL_MOVE, THROTTLE,
        UNTHROTTLE, ABORT_TRANSACTION, DELETE_RECORDS,
    )
}  # fmt: skip
