"""EndTxn (26): commit or abort a transaction (KIP-98).

Version 2 may answer PRODUCER_FENCED, 4 TRANSACTION_ABORTABLE; so may AddOffsetsToTxn.
"""

from __future__ import annotations

from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.message import message, wire
from pykafka_ops.wire.types import BOOL, INT16, INT32, INT64, STRING


@message(ApiKey.END_TXN)
class EndTxnRequest:
    """``committed`` true commits, false aborts."""

    transactional_id: str = wire(STRING)
    producer_id: int = wire(INT64)
    producer_epoch: int = wire(INT16)
    committed: bool = wire(BOOL)


@message(ApiKey.END_TXN)
class EndTxnResponse:
    """Whether the decision was stored; the markers follow."""

    throttle_time_ms: int = wire(INT32)
    error_code: int = wire(INT16)
