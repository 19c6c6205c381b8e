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
        "create_acls", "delete_acls", "elect_leaders", "update_features", "write_txn_markers",
    ),
    "describe": (
        "describe_acls", "describe_log_dirs", "describe_user_scram_credentials",
        "list_partition_reassignments",
    ),
    "describe-configs": ("describe_client_quotas",),
    "alter-configs": ("alter_client_quotas",),
}  # fmt: skip
RIGHTS: Final = {
    **{api: f"{right} on the cluster" for right, apis in _CLUSTER.items() for api in apis},
    "create_topics": "create on the topic, or on the cluster",
    "delete_topics": "delete on the topic",
    "create_partitions": "alter on the topic",
    "delete_records": "delete on the topic",
    "describe_configs": "describe-configs on the topic, for brokers on the cluster",
    "alter_configs": "alter-configs on the topic, for brokers on the cluster",
    "incremental_alter_configs": "alter-configs on the topic, for brokers on the cluster",
    "metadata": "describe on the topic",
    "list_offsets": "describe on the topic",
    "describe_producers": "read on the topic",
    "fetch": "read on the topic",
    "produce": "write on the topic",
    "describe_groups": "describe on the group",
    "consumer_group_describe": "describe on the group",
    "delete_groups": "delete on the group",
    "leave_group": "read on the group",
    "offset_delete": "delete on the group and read on the topic",
    "offset_fetch": "describe on the group and on the topic",
    "offset_commit": "read on the group and on the topic",
    "find_coordinator": "describe on the group or the transactional id",
    "describe_transactions": "describe on the transactional id",
    "init_producer_id": "write on the transactional id, or idempotent-write on the cluster",
    "create_delegation_token": "create-tokens on the owner (user:User:NAME)",
}


def refusal(code: int, part: object) -> str:
    """In pko's form, what a broker means by ``code`` in a part of an answer; "" where it is no
    refusal, or the right is not known."""
    if code not in REFUSALS:
        return ""
    right = RIGHTS.get(type(part).__module__.rpartition(".")[2])
    return f"not allowed: this login needs {right}" if right else ""
