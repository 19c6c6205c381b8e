"""DeleteAcls (31), v0-3: delete the access rules that pass filters (KIP-140)."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.shaping import code_and_text
from pykafka_ops.broker.services.acl_admin import AclAdmin
from pykafka_ops.broker.state.acls import NO_AUTHORIZER, check_known, filter_of
from pykafka_ops.errors import KafkaError
from pykafka_ops.security.acls.rules import AclBinding
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.delete_acls import (
    DeleteAclsFilterResult,
    DeleteAclsMatchingAcl,
    DeleteAclsRequest,
    DeleteAclsResponse,
)


def handle(context: Context, request: DeleteAclsRequest) -> Answer:
    """The rules that each filter met. Raises WireError for a filter with UNKNOWN elements,
    KafkaError SECURITY_DISABLED where no authorizer is configured."""
    for each in request.filters:
        check_known(
            each.resource_type_filter,
            each.pattern_type_filter,
            each.operation,
            each.permission_type,
        )
    acls = context.services.acls
    if acls is None:
        raise KafkaError(ErrorCode.SECURITY_DISABLED, NO_AUTHORIZER)
    return _delete(acls, request)


async def _delete(acls: AclAdmin, request: DeleteAclsRequest) -> DeleteAclsResponse:
    found = await acls.delete([filter_of(each) for each in request.filters])
    return DeleteAclsResponse(
        filter_results=[
            DeleteAclsFilterResult(
                error_message=None, matching_acls=[_met(rule, error) for rule, error in met]
            )
            for met in found
        ]
    )


def _met(rule: AclBinding, error: KafkaError | None) -> DeleteAclsMatchingAcl:
    code, text = code_and_text(error)
    return DeleteAclsMatchingAcl(
        error_code=code,
        error_message=text,
        resource_type=rule.resource.type,
        resource_name=rule.resource.name,
        pattern_type=rule.resource.pattern,
        principal=rule.entry.principal,
        host=rule.entry.host,
        operation=rule.entry.operation,
        permission_type=rule.entry.permission,
    )
