"""One file per API: look up, authorise, call one service, shape the answer.

``ROUTES`` is the one list of what this broker serves: dispatch and the ApiVersions answer
come from it. A handler module is imported when its API is first called.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, NamedTuple

from pykafka_ops.wire.apis import ApiKey

if TYPE_CHECKING:
    from types import ModuleType


class Route(NamedTuple):
    """Which module serves an API, in which versions (both inclusive)."""

    module: str
    min_version: int
    max_version: int

    def load(self) -> ModuleType:
        """The handler module, imported at first use."""
        return importlib.import_module(f"{__name__}.{self.module}")


ROUTES: dict[int, Route] = {
    ApiKey.PRODUCE: Route("produce", 0, 11),
    ApiKey.FETCH: Route("fetch", 0, 17),
    ApiKey.LIST_OFFSETS: Route("list_offsets", 0, 9),
    ApiKey.METADATA: Route("metadata", 0, 12),
    ApiKey.LEADER_AND_ISR: Route("leader_and_isr", 0, 7),
    ApiKey.STOP_REPLICA: Route("stop_replica", 0, 4),
    ApiKey.UPDATE_METADATA: Route("update_metadata", 0, 8),
    ApiKey.CONTROLLED_SHUTDOWN: Route("controlled_shutdown", 0, 3),
    ApiKey.OFFSET_COMMIT: Route("offset_commit", 0, 9),
    ApiKey.OFFSET_FETCH: Route("offset_fetch", 0, 9),
    ApiKey.FIND_COORDINATOR: Route("find_coordinator", 0, 6),
    ApiKey.JOIN_GROUP: Route("join_group", 0, 9),
    ApiKey.HEARTBEAT: Route("heartbeat", 0, 4),
    ApiKey.LEAVE_GROUP: Route("leave_group", 0, 5),
    ApiKey.SYNC_GROUP: Route("sync_group", 0, 5),
    ApiKey.DESCRIBE_GROUPS: Route("describe_groups", 0, 5),
    ApiKey.LIST_GROUPS: Route("list_groups", 0, 5),
    ApiKey.API_VERSIONS: Route("api_versions", 0, 4),
    ApiKey.CREATE_TOPICS: Route("create_topics", 0, 7),
    ApiKey.DELETE_TOPICS: Route("delete_topics", 0, 6),
    ApiKey.DELETE_RECORDS: Route("delete_records", 0, 2),
    ApiKey.INIT_PRODUCER_ID: Route("init_producer_id", 0, 5),
    ApiKey.OFFSET_FOR_LEADER_EPOCH: Route("offset_for_leader_epoch", 0, 4),
    ApiKey.ADD_PARTITIONS_TO_TXN: Route("add_partitions_to_txn", 0, 5),
    ApiKey.ADD_OFFSETS_TO_TXN: Route("add_offsets_to_txn", 0, 4),
    ApiKey.END_TXN: Route("end_txn", 0, 4),
    ApiKey.WRITE_TXN_MARKERS: Route("write_txn_markers", 0, 1),
    ApiKey.TXN_OFFSET_COMMIT: Route("txn_offset_commit", 0, 4),
    ApiKey.DESCRIBE_CONFIGS: Route("describe_configs", 0, 4),
    ApiKey.ALTER_CONFIGS: Route("alter_configs", 0, 2),
    ApiKey.ALTER_REPLICA_LOG_DIRS: Route("alter_replica_log_dirs", 0, 2),
    ApiKey.DESCRIBE_LOG_DIRS: Route("describe_log_dirs", 0, 4),
    ApiKey.CREATE_PARTITIONS: Route("create_partitions", 0, 3),
    ApiKey.DELETE_GROUPS: Route("delete_groups", 0, 2),
    ApiKey.ELECT_LEADERS: Route("elect_leaders", 0, 2),
    ApiKey.INCREMENTAL_ALTER_CONFIGS: Route("incremental_alter_configs", 0, 1),
    ApiKey.ALTER_PARTITION_REASSIGNMENTS: Route("alter_partition_reassignments", 0, 0),
    ApiKey.LIST_PARTITION_REASSIGNMENTS: Route("list_partition_reassignments", 0, 0),
    ApiKey.OFFSET_DELETE: Route("offset_delete", 0, 0),
    ApiKey.DESCRIBE_CLIENT_QUOTAS: Route("describe_client_quotas", 0, 1),
    ApiKey.ALTER_CLIENT_QUOTAS: Route("alter_client_quotas", 0, 1),
    ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS: Route("describe_user_scram_credentials", 0, 0),
    ApiKey.ALTER_USER_SCRAM_CREDENTIALS: Route("alter_user_scram_credentials", 0, 0),
    ApiKey.ALTER_PARTITION: Route("alter_partition", 0, 3),
    ApiKey.DESCRIBE_CLUSTER: Route("describe_cluster", 0, 1),
    ApiKey.DESCRIBE_PRODUCERS: Route("describe_producers", 0, 0),
    ApiKey.DESCRIBE_TRANSACTIONS: Route("describe_transactions", 0, 0),
    ApiKey.LIST_TRANSACTIONS: Route("list_transactions", 0, 1),
    ApiKey.ALLOCATE_PRODUCER_IDS: Route("allocate_producer_ids", 0, 0),
}
