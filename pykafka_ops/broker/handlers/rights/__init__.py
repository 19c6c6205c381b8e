"""Which rights a request needs, where an authorizer is configured: a row per API.

``RIGHTS`` names what stands between a request and its handler. Without an authorizer none of this
is imported. An API without a row is not served then.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any, Final

from pykafka_ops.broker.handlers import failed
from pykafka_ops.broker.handlers.api import Answer, Context, Handle, MakeShape
from pykafka_ops.broker.handlers.rights import (
    add_partitions_to_txn,
    configs,
    consumer_group_describe,
    consumer_group_heartbeat,
    create_topics,
    delete_groups,
    delete_topics,
    describe_cluster,
    describe_groups,
    describe_transactions,
    find_coordinator,
    init_producer_id,
    join_group,
    list_groups,
    list_transactions,
    metadata,
    offset_fetch,
    offset_for_leader_epoch,
    produce,
    write_txn_markers,
)
from pykafka_ops.broker.handlers.rights.checks import (
    Each,
    Guard,
    Need,
    NeededRights,
    Served,
    cluster,
    free,
)
from pykafka_ops.broker.hot.serving import Shape
from pykafka_ops.errors import KafkaError
from pykafka_ops.security.acls.rules import Operation, ResourceType
from pykafka_ops.wire.apis import ApiKey
from pykafka_ops.wire.codes import ErrorCode

_TOPIC, _GROUP, _ID = ResourceType.TOPIC, ResourceType.GROUP, ResourceType.TRANSACTIONAL_ID
_OP = Operation
_READ_GROUP = Need(_OP.READ, _GROUP, "group_id")
_WRITE_ID = Need(_OP.WRITE, _ID, "transactional_id")
NOT_ALLOWED: Final = "The request is not authorized."
_READ_TOPICS = Each(_OP.READ, _TOPIC, "topics", "name")

# fmt: off
RIGHTS: Final[dict[int, Guard]] = {
    ApiKey.PRODUCE: produce.guard,
    ApiKey.FETCH: free,
    ApiKey.LIST_OFFSETS: NeededRights(each=Each(_OP.DESCRIBE, _TOPIC, "topics", "name")),
    ApiKey.METADATA: metadata.guard,
    ApiKey.LEADER_AND_ISR: cluster(_OP.CLUSTER_ACTION, NOT_ALLOWED),
    ApiKey.STOP_REPLICA: cluster(_OP.CLUSTER_ACTION, NOT_ALLOWED),
    ApiKey.UPDATE_METADATA: cluster(_OP.CLUSTER_ACTION, NOT_ALLOWED),
    ApiKey.CONTROLLED_SHUTDOWN: cluster(_OP.CLUSTER_ACTION, NOT_ALLOWED),
    ApiKey.OFFSET_COMMIT: NeededRights((_READ_GROUP,), _READ_TOPICS),
    ApiKey.OFFSET_FETCH: offset_fetch.guard,
    ApiKey.FIND_COORDINATOR: find_coordinator.guard,
    ApiKey.JOIN_GROUP: join_group.guard,
    ApiKey.HEARTBEAT: NeededRights((_READ_GROUP,)),
    ApiKey.LEAVE_GROUP: NeededRights((_READ_GROUP,)),
    ApiKey.SYNC_GROUP: NeededRights((_READ_GROUP,)),
    ApiKey.DESCRIBE_GROUPS: describe_groups.guard,
    ApiKey.LIST_GROUPS: list_groups.guard,
    ApiKey.SASL_HANDSHAKE: free,
    ApiKey.API_VERSIONS: free,
    ApiKey.CREATE_TOPICS: create_topics.guard,
    ApiKey.DELETE_TOPICS: delete_topics.guard,
    ApiKey.DELETE_RECORDS: NeededRights(each=Each(_OP.DELETE, _TOPIC, "topics", "name")),
    ApiKey.INIT_PRODUCER_ID: init_producer_id.guard,
    ApiKey.OFFSET_FOR_LEADER_EPOCH: offset_for_leader_epoch.guard,
    ApiKey.ADD_PARTITIONS_TO_TXN: add_partitions_to_txn.guard,
    ApiKey.ADD_OFFSETS_TO_TXN: NeededRights((_WRITE_ID, _READ_GROUP)),
    ApiKey.END_TXN: NeededRights((_WRITE_ID,)),
    ApiKey.WRITE_TXN_MARKERS: write_txn_markers.guard,
    ApiKey.TXN_OFFSET_COMMIT: NeededRights((_WRITE_ID, _READ_GROUP), _READ_TOPICS),
    ApiKey.DESCRIBE_ACLS: cluster(_OP.DESCRIBE, NOT_ALLOWED),
    ApiKey.CREATE_ACLS: cluster(_OP.ALTER, NOT_ALLOWED),
    ApiKey.DELETE_ACLS: cluster(_OP.ALTER, NOT_ALLOWED),
    ApiKey.DESCRIBE_CONFIGS: configs.describe,
    ApiKey.ALTER_CONFIGS: configs.alter,
    ApiKey.ALTER_REPLICA_LOG_DIRS: cluster(_OP.ALTER),
    ApiKey.DESCRIBE_LOG_DIRS: cluster(_OP.DESCRIBE),
    ApiKey.SASL_AUTHENTICATE: free,
    ApiKey.CREATE_PARTITIONS: NeededRights(each=Each(
        _OP.ALTER, _TOPIC, "topics", "name", empty=True, text="The topic authorization is failed.",
        doubles=True,
    )),
    ApiKey.CREATE_DELEGATION_TOKEN: free,
    ApiKey.RENEW_DELEGATION_TOKEN: free,
    ApiKey.EXPIRE_DELEGATION_TOKEN: free,
    ApiKey.DESCRIBE_DELEGATION_TOKEN: free,
    ApiKey.DELETE_GROUPS: delete_groups.guard,
    ApiKey.ELECT_LEADERS: cluster(_OP.ALTER),
    ApiKey.INCREMENTAL_ALTER_CONFIGS: configs.alter,
    ApiKey.ALTER_PARTITION_REASSIGNMENTS: cluster(_OP.ALTER, NOT_ALLOWED),
    ApiKey.LIST_PARTITION_REASSIGNMENTS: cluster(_OP.DESCRIBE, NOT_ALLOWED),
    ApiKey.OFFSET_DELETE: NeededRights((Need(_OP.DELETE, _GROUP, "group_id"),), _READ_TOPICS),
    ApiKey.DESCRIBE_CLIENT_QUOTAS: cluster(_OP.DESCRIBE_CONFIGS),
    ApiKey.ALTER_CLIENT_QUOTAS: cluster(_OP.ALTER_CONFIGS),
    ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS: cluster(_OP.DESCRIBE),
    ApiKey.ALTER_USER_SCRAM_CREDENTIALS: cluster(_OP.ALTER),
    ApiKey.ALTER_PARTITION: cluster(_OP.CLUSTER_ACTION, NOT_ALLOWED),
    ApiKey.UPDATE_FEATURES: cluster(
        _OP.ALTER, ErrorCode.CLUSTER_AUTHORIZATION_FAILED.text
    ),
    ApiKey.ENVELOPE: free,
    ApiKey.DESCRIBE_CLUSTER: describe_cluster.guard,
    ApiKey.DESCRIBE_PRODUCERS: NeededRights(each=Each(
        _OP.READ, _TOPIC, "topics", "name", text=ErrorCode.TOPIC_AUTHORIZATION_FAILED.text
    )),
    ApiKey.DESCRIBE_TRANSACTIONS: describe_transactions.guard,
    ApiKey.LIST_TRANSACTIONS: list_transactions.guard,
    ApiKey.ALLOCATE_PRODUCER_IDS: cluster(_OP.CLUSTER_ACTION, NOT_ALLOWED),
    ApiKey.CONSUMER_GROUP_HEARTBEAT: consumer_group_heartbeat.guard,
    ApiKey.CONSUMER_GROUP_DESCRIBE: consumer_group_describe.guard,
}
# fmt: on
"""``free`` where nothing is needed, or the handler asks itself: Fetch, whose session names topics
that the request does not, and delegation tokens, whose owners need no other right. Envelopes are
never taken."""

_SHAPED: Final[dict[int, Callable[[Context, Any], bool]]] = {
    ApiKey.PRODUCE: produce.allows_all,
    ApiKey.OFFSET_COMMIT: NeededRights((_READ_GROUP,), _READ_TOPICS).allows_all,
    ApiKey.HEARTBEAT: NeededRights((_READ_GROUP,)).allows_all,
    ApiKey.JOIN_GROUP: NeededRights((_READ_GROUP,)).allows_all,
    ApiKey.SYNC_GROUP: NeededRights((_READ_GROUP,)).allows_all,
    ApiKey.FETCH: lambda context, request: True,  # its shapes ask for them in every request
}
"""Whether requests that are served from their bytes have all rights that they need."""


def guarded(api: int, handler: ModuleType) -> Handle:
    """The handler of an API behind its rights."""
    guard = RIGHTS[api]
    if guard is free:
        handle: Handle = handler.handle
        return handle

    def whole(request: Any, version: int, error: KafkaError) -> object:
        return failed.answer_to(api, handler, request, version, error)

    def items(request: Any, version: int, error: KafkaError) -> object:
        return failed.answer_to(api, handler, request, version, error, at_items=True)

    served = Served(handler.handle, whole, items)

    def handle_allowed(context: Context, request: Any) -> Answer:
        return guard(context, request, served)

    return handle_allowed


def guarded_shape(api: int, make: MakeShape) -> MakeShape:
    """Has requests served from their bytes only where the client has all rights that they need.
    Shapes are forgotten when rights change."""
    allows_all = _SHAPED[api]

    def shape(context: Context, request: Any, frame: memoryview) -> Shape | None:
        authorizer = context.services.authorizer
        if authorizer is None or authorizer.logs_all or not allows_all(context, request):
            return None
        return make(context, request, frame)

    return shape
