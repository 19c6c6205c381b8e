"""FindCoordinator: of groups and transactional ids that the client may describe."""

from __future__ import annotations

from typing import Final

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.rights.checks import Each, Need, Served, after
from pykafka_ops.security.acls.rules import CLUSTER_NAME, Operation, ResourceType
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.find_coordinator import (
    Coordinator,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)

_TYPES: Final = {0: ResourceType.GROUP, 1: ResourceType.TRANSACTIONAL_ID}
_SHARE: Final = 2
_SEVERAL_FROM: Final = 4
_SHARES_FROM: Final = 6


def guard(context: Context, request: FindCoordinatorRequest, served: Served) -> Answer:
    """The error of the type for the others; key types that there are not are the handler's."""
    type_ = _TYPES.get(request.key_type)
    if type_ is None:
        if request.key_type == _SHARE and context.version >= _SHARES_FROM:
            return _of_shares(context, request, served)
        return served.handle(context, request)
    if context.version >= _SEVERAL_FROM:
        keys = Each(Operation.DESCRIBE, type_, "coordinator_keys", answered="key")
        return after(keys.answer(context, request, served), _without_texts)
    Need(Operation.DESCRIBE, type_, "key").require(context, request)
    return served.handle(context, request)


def _of_shares(context: Context, request: FindCoordinatorRequest, served: Served) -> Answer:
    """Brokers ask for these (KIP-932)."""
    if context.may(Operation.CLUSTER_ACTION, ResourceType.CLUSTER, CLUSTER_NAME):
        return served.handle(context, request)
    code = ErrorCode.CLUSTER_AUTHORIZATION_FAILED
    return FindCoordinatorResponse(
        coordinators=[
            Coordinator(key=key, error_code=code, node_id=-1, port=-1)
            for key in request.coordinator_keys
        ]
    )


def _without_texts(answer: FindCoordinatorResponse) -> FindCoordinatorResponse:
    """Of several keys only the codes say what is wrong."""
    for found in answer.coordinators:
        found.error_message = ""
    return answer
