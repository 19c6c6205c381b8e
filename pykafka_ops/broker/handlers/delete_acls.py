"""DeleteAcls (31), v0-3: each filter refused, as by Apache Kafka without an authorizer."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.state.acls import NO_AUTHORIZER, check_known
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.delete_acls import DeleteAclsRequest


def handle(context: Context, request: DeleteAclsRequest) -> Answer:
    """SECURITY_DISABLED for each. Raises WireError for a filter with UNKNOWN elements."""
    for each in request.filters:
        check_known(
            each.resource_type_filter,
            each.pattern_type_filter,
            each.operation,
            each.permission_type,
        )
    raise KafkaError(ErrorCode.SECURITY_DISABLED, NO_AUTHORIZER)
