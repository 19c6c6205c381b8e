"""CreateAcls (30), v0-3: add access rules (KIP-140)."""

from __future__ import annotations

from pykafka_ops.broker.handlers.api import Answer, Context
from pykafka_ops.broker.handlers.shaping import code_and_text
from pykafka_ops.broker.services.acl_admin import AclAdmin
from pykafka_ops.broker.state.acls import NO_AUTHORIZER, binding_of, check_known
from pykafka_ops.errors import KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.create_acls import (
    AclCreationResult,
    CreateAclsRequest,
    CreateAclsResponse,
)


def handle(context: Context, request: CreateAclsRequest) -> Answer:
    """Why not, for each rule. Raises WireError for a rule with UNKNOWN elements, KafkaError
    SECURITY_DISABLED where no authorizer is configured."""
    for rule in request.creations:
        check_known(
            rule.resource_type, rule.resource_pattern_type, rule.operation, rule.permission_type
        )
    acls = context.services.acls
    if acls is None:
        raise KafkaError(ErrorCode.SECURITY_DISABLED, NO_AUTHORIZER)
    return _create(acls, request)


async def _create(acls: AclAdmin, request: CreateAclsRequest) -> CreateAclsResponse:
    errors = await acls.create([binding_of(rule) for rule in request.creations])
    return CreateAclsResponse(results=[_result(error) for error in errors])


def _result(error: KafkaError | None) -> AclCreationResult:
    code, text = code_and_text(error)
    return AclCreationResult(error_code=code, error_message=text or "")
