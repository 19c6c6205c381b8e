"""Which right a broker asks for before it does something, for who reads "not authorized".

Source: ``KafkaApis``; by the module of the answer in ``wire.messages``, of which each API has one.
"""

from __future__ import annotations

from typing import Final

from pykafka_ops.wire.codes import ErrorCode

REFUSALS: Final = frozenset(
    code.value for code in ErrorCode if code.name.endswith("_AUTHORIZATION_FAILED")
)
_CLUSTER: Final = {
    "alter": (
        "alter_partition_reassignments", "alter_replica_log_dirs", "alter_user_scram_credentials",
        "add_raft_voter", "create_acls", "delete_acls", "elect_leaders", "remove_raft_voter",
        "update_features", "write_txn_markers",
    ),
    "describe": (
        "describe_acls", "describe_log_dirs", "describe_quorum",
        "describe_user_scram_credentials",
        "list_partition_reassignments",
    ),
    "describe-configs": ("describe_client_quotas",),
    "alter-configs": ("alter_client_quotas",),
}  # fmt: skip
_TOPIC, _GROUP, _WHOLE, _ID = "topic", "group", "cluster", "transactional id"
RIGHTS: Final[dict[str, dict[str, str]]] = {
    **{api: {_WHOLE: operation} for operation, apis in _CLUSTER.items() for api in apis},
    "create_topics": {_TOPIC: "create"},
    "delete_topics": {_TOPIC: "delete"},
    "create_partitions": {_TOPIC: "alter"},
    "delete_records": {_TOPIC: "delete"},
    "describe_configs": {_TOPIC: "describe-configs", _WHOLE: "describe-configs"},
    "alter_configs": {_TOPIC: "alter-configs", _WHOLE: "alter-configs"},
    "incremental_alter_configs": {_TOPIC: "alter-configs", _WHOLE: "alter-configs"},
    "metadata": {_TOPIC: "describe"},
    "list_offsets": {_TOPIC: "describe"},
    "describe_producers": {_TOPIC: "read"},
    "fetch": {_TOPIC: "read"},
    "produce": {_TOPIC: "write", _ID: "write", _WHOLE: "idempotent-write"},
    "describe_groups": {_GROUP: "describe"},
    "consumer_group_describe": {_GROUP: "describe"},
    "share_group_describe": {_GROUP: "describe", _TOPIC: "describe"},
    "streams_group_describe": {_GROUP: "describe", _TOPIC: "describe"},
    "describe_share_group_offsets": {_GROUP: "describe", _TOPIC: "describe"},
    "alter_share_group_offsets": {_GROUP: "read", _TOPIC: "read"},
    "delete_share_group_offsets": {_GROUP: "delete", _TOPIC: "read"},
    "describe_topic_partitions": {_TOPIC: "describe"},
    "delete_groups": {_GROUP: "delete"},
    "leave_group": {_GROUP: "read"},
    "offset_delete": {_GROUP: "delete", _TOPIC: "read"},
    "offset_fetch": {_GROUP: "describe", _TOPIC: "describe"},
    "offset_commit": {_GROUP: "read", _TOPIC: "read"},
    "find_coordinator": {_GROUP: "describe", _ID: "describe"},
    "describe_transactions": {_ID: "describe"},
    "init_producer_id": {_ID: "write", _WHOLE: "idempotent-write"},
    "create_delegation_token": {"delegation token": "create-tokens"},
}
"""The operation by what the code of the refusal is about."""
_ELSE: Final = {
    ("create_topics", _TOPIC): ", or on the cluster",
    ("init_producer_id", _ID): ", or idempotent-write on the cluster",
}
"""What would do as well."""
_CALLED: Final = {"delegation token": "owner (user:User:NAME)"}
_NAMES: Final = (
    "name",
    "topic_name",
    "resource_name",
    "group_id",
    "transactional_id",
    "key",
    "topic",
)
"""Fields of answers that name what they are about."""


def refusal(code: int, part: object) -> str:
    """In pko's form, what a broker means by ``code`` in a part of an answer; "" where it is no
    refusal, or the right is not known."""
    if code not in REFUSALS:
        return ""
    api = type(part).__module__.rpartition(".")[2]
    kind = ErrorCode(code).name.removesuffix("_AUTHORIZATION_FAILED").lower().replace("_", " ")
    operation = RIGHTS.get(api, {}).get(kind)
    return lacking(operation, kind) + _ELSE.get((api, kind), "") if operation else ""


def lacking(operation: str, kind: str) -> str:
    """That a login may not do it to a topic, group, ...: which one is said before that."""
    return f"not allowed: this login needs {operation} on the {_CALLED.get(kind, kind)}"


def subject(part: object) -> str:
    """Which topic, group, ... a part of an answer is about, "" where it does not say."""
    names = (getattr(part, field, None) for field in _NAMES)
    return next((name for name in names if isinstance(name, str) and name), "")
