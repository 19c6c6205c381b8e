"""CreateAcls (30), v0-3: each rule refused, as by Apache Kafka without an authorizer."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.state.acls import NO_AUTHORIZER, check_known
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.create_acls import CreateAclsRequest


def handle(context: Context, request: CreateAclsRequest) -> Answer:
    """SECURITY_DISABLED for each. Raises WireError for a rule with UNKNOWN elements."""
    for rule in request.creations:
        check_known(
            rule.resource_type, rule.resource_pattern_type, rule.operation, rule.permission_type
        )
    raise KafkaError(ErrorCode.SECURITY_DISABLED, NO_AUTHORIZER)
