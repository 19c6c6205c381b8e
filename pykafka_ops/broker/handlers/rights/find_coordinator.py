"""FindCoordinator: of groups and transactional ids that the client may describe."""

from __future__ import annotations

from typing import Final

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.rights.checks import Each, Need, Served
from pykafka_ops.security.acls.rules import Operation, ResourceType
from pykafka_ops.wire.messages.find_coordinator import FindCoordinatorRequest

_TYPES: Final = {0: ResourceType.GROUP, 1: ResourceType.TRANSACTIONAL_ID}
_SEVERAL_FROM: Final = 4


def guard(context: Context, request: FindCoordinatorRequest, served: Served) -> Answer:
    """The error of the type for the others; key types that there are not are the handler's."""
    type_ = _TYPES.get(request.key_type)
    if type_ is None:
        return served.handle(context, request)
    if context.version >= _SEVERAL_FROM:
        keys = Each(Operation.DESCRIBE, type_, "coordinator_keys", answered="key")
        return keys.answer(context, request, served)
    Need(Operation.DESCRIBE, type_, "key").require(context, request)
    return served.handle(context, request)
