"""Which broker coordinates a group or a transactional id (KIP-699 for many in one question)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from pykafka_ops.client.cluster import ANY, Cluster, Question, complete
from pykafka_ops.client.connection import UnsupportedVersionError
from pykafka_ops.errors import KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.find_coordinator import (
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)

GROUP: Final = 0
TRANSACTION: Final = 1
_LATER: Final = (ErrorCode.COORDINATOR_NOT_AVAILABLE, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)


def find_coordinators(
    cluster: Cluster, keys: Sequence[str], kind: int = GROUP
) -> dict[str, int | PkoError]:
    """The node id that coordinates each key; tried again while coordinators are coming up."""
    found: dict[str, int | PkoError] = {}
    pending = list(dict.fromkeys(keys))
    deadline, wait = time.monotonic() + cluster.config.api_timeout, cluster.config.backoff
    while pending:
        found.update(_find(cluster, pending, kind))
        pending = [k for k in pending if _later(found[k])]
        if not pending or time.monotonic() + wait > deadline:
            return found
        time.sleep(wait)
        wait = min(wait * 2, cluster.config.backoff_max)
    return found


def _later(result: int | PkoError) -> bool:
    return isinstance(result, KafkaError) and result.code in _LATER


def _find(cluster: Cluster, keys: Sequence[str], kind: int) -> dict[str, int | PkoError]:
    cluster.brokers("findCoordinator")
    request = FindCoordinatorRequest(coordinator_keys=list(keys), key_type=kind)
    try:
        response = cluster.call(request, FindCoordinatorResponse, name="findCoordinator", lowest=4)
    except UnsupportedVersionError:
        return _one_by_one(cluster, keys, kind)
    found: dict[str, int | PkoError] = {
        c.key: KafkaError(c.error_code, c.error_message or "") if c.error_code else c.node_id
        for c in response.coordinators
    }
    return {**complete(found, keys)}


def _one_by_one(cluster: Cluster, keys: Sequence[str], kind: int) -> dict[str, int | PkoError]:
    """Brokers before 2.8 take one key a question."""
    questions = [
        Question(ANY, FindCoordinatorRequest(key=key, key_type=kind), FindCoordinatorResponse, 0, 3)
        for key in keys
    ]
    found: dict[str, int | PkoError] = {}
    for key, answer in zip(keys, cluster.call_each(questions, name="findCoordinator"), strict=True):
        if isinstance(answer, PkoError):
            found[key] = answer
        elif answer.error_code:
            found[key] = KafkaError(answer.error_code, answer.error_message or "")
        else:
            found[key] = answer.node_id
    return found
