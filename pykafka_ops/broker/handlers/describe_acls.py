"""DescribeAcls (29), v0-3: refused, as by Apache Kafka without an authorizer."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.state.acls import check_known
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.describe_acls import DescribeAclsRequest


def handle(context: Context, request: DescribeAclsRequest) -> Answer:
    """SECURITY_DISABLED. Raises WireError for a filter with UNKNOWN elements."""
    check_known(
        request.resource_type_filter,
        request.pattern_type_filter,
        request.operation,
        request.permission_type,
    )
    raise KafkaError(ErrorCode.SECURITY_DISABLED, "No Authorizer is configured on the broker")
