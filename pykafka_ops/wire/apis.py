"""Which APIs there are: key, name, versions of Kafka 3.9, and where their messages are declared.

Importing this module imports no message; ``spec.request`` and ``spec.response`` do, once.
Kafka counterpart: ``ApiKeys`` and ``ApiMessageType``. What a broker announces is decided elsewhere:
some of these are here for clients only.
"""

from __future__ import annotations

from enum import IntEnum
from importlib import import_module
from typing import Any, Final

NEVER: Final = 0x7FFF
"""``flexible`` of an API that has no flexible version."""


class ApiKey(IntEnum):
    """The number of each API, under the name of Kafka's ``ApiKeys``."""

    PRODUCE = 0
    FETCH = 1
    LIST_OFFSETS = 2
    METADATA = 3
    LEADER_AND_ISR = 4
    STOP_REPLICA = 5
    UPDATE_METADATA = 6
    CONTROLLED_SHUTDOWN = 7
    OFFSET_COMMIT = 8
    OFFSET_FETCH = 9
    FIND_COORDINATOR = 10
    JOIN_GROUP = 11
    HEARTBEAT = 12
    LEAVE_GROUP = 13
    SYNC_GROUP = 14
    DESCRIBE_GROUPS = 15
    LIST_GROUPS = 16
    SASL_HANDSHAKE = 17
    API_VERSIONS = 18
    CREATE_TOPICS = 19
    DELETE_TOPICS = 20
    DELETE_RECORDS = 21
    INIT_PRODUCER_ID = 22
    OFFSET_FOR_LEADER_EPOCH = 23
    ADD_PARTITIONS_TO_TXN = 24
    ADD_OFFSETS_TO_TXN = 25
    END_TXN = 26
    WRITE_TXN_MARKERS = 27
    TXN_OFFSET_COMMIT = 28
    DESCRIBE_ACLS = 29
    CREATE_ACLS = 30
    DELETE_ACLS = 31
    DESCRIBE_CONFIGS = 32
    ALTER_CONFIGS = 33
    ALTER_REPLICA_LOG_DIRS = 34
    DESCRIBE_LOG_DIRS = 35
    SASL_AUTHENTICATE = 36
    CREATE_PARTITIONS = 37
    CREATE_DELEGATION_TOKEN = 38
    RENEW_DELEGATION_TOKEN = 39
    EXPIRE_DELEGATION_TOKEN = 40
    DESCRIBE_DELEGATION_TOKEN = 41
    DELETE_GROUPS = 42
    ELECT_LEADERS = 43
    INCREMENTAL_ALTER_CONFIGS = 44
    ALTER_PARTITION_REASSIGNMENTS = 45
    LIST_PARTITION_REASSIGNMENTS = 46
    OFFSET_DELETE = 47
    DESCRIBE_CLIENT_QUOTAS = 48
    ALTER_CLIENT_QUOTAS = 49
    DESCRIBE_USER_SCRAM_CREDENTIALS = 50
    ALTER_USER_SCRAM_CREDENTIALS = 51
    DESCRIBE_QUORUM = 55
    ALTER_PARTITION = 56
    UPDATE_FEATURES = 57
    ENVELOPE = 58
    DESCRIBE_CLUSTER = 60
    DESCRIBE_PRODUCERS = 61
    UNREGISTER_BROKER = 64
    DESCRIBE_TRANSACTIONS = 65
    LIST_TRANSACTIONS = 66
    ALLOCATE_PRODUCER_IDS = 67
    CONSUMER_GROUP_HEARTBEAT = 68
    CONSUMER_GROUP_DESCRIBE = 69
    GET_TELEMETRY_SUBSCRIPTIONS = 71
    PUSH_TELEMETRY = 72
    LIST_CLIENT_METRICS_RESOURCES = 74
    DESCRIBE_TOPIC_PARTITIONS = 75


class ApiSpec:
    """One API: versions are those of Kafka 3.9, ``flexible`` is the first with KIP-482 encoding."""

    __slots__ = ("_classes", "flexible", "key", "max_version", "min_version", "module", "name")

    def __init__(self, key: int, name: str, last: int, flexible: int, module: str) -> None:
        self.key = key
        self.name = name
        self.min_version = 0
        self.max_version = last
        self.flexible = flexible
        self.module = f"pykafka_ops.wire.messages.{module}"
        self._classes: tuple[type[Any], type[Any]] | None = None

    def __repr__(self) -> str:
        return f"ApiSpec({self.name}, key {self.key}, {self.min_version}-{self.max_version})"

    @property
    def request(self) -> type[Any]:
        """The request class; its module is imported at the first call."""
        return (self._classes or self._load())[0]

    @property
    def response(self) -> type[Any]:
        """The response class; its module is imported at the first call."""
        return (self._classes or self._load())[1]

    def _load(self) -> tuple[type[Any], type[Any]]:
        module = import_module(self.module)
        request, response = f"{self.name}Request", f"{self.name}Response"
        self._classes = (getattr(module, request), getattr(module, response))
        return self._classes

    def has(self, version: int) -> bool:
        """Whether Kafka 3.9 knows this version."""
        return self.min_version <= version <= self.max_version


_SPECS: Final = (
    ApiSpec(0, "Produce", 11, 9, "produce"),
    ApiSpec(1, "Fetch", 17, 12, "fetch"),
    ApiSpec(2, "ListOffsets", 9, 6, "list_offsets"),
    ApiSpec(3, "Metadata", 12, 9, "metadata"),
    ApiSpec(4, "LeaderAndIsr", 7, 4, "leader_and_isr"),
    ApiSpec(5, "StopReplica", 4, 2, "stop_replica"),
    ApiSpec(6, "UpdateMetadata", 8, 6, "update_metadata"),
    ApiSpec(7, "ControlledShutdown", 3, 3, "controlled_shutdown"),
    ApiSpec(8, "OffsetCommit", 9, 8, "offset_commit"),
    ApiSpec(9, "OffsetFetch", 9, 6, "offset_fetch"),
    ApiSpec(10, "FindCoordinator", 6, 3, "find_coordinator"),
    ApiSpec(11, "JoinGroup", 9, 6, "join_group"),
    ApiSpec(12, "Heartbeat", 4, 4, "heartbeat"),
    ApiSpec(13, "LeaveGroup", 5, 4, "leave_group"),
    ApiSpec(14, "SyncGroup", 5, 4, "sync_group"),
    ApiSpec(15, "DescribeGroups", 5, 5, "describe_groups"),
    ApiSpec(16, "ListGroups", 5, 3, "list_groups"),
    ApiSpec(17, "SaslHandshake", 1, NEVER, "sasl_handshake"),
    ApiSpec(18, "ApiVersions", 4, 3, "api_versions"),
    ApiSpec(19, "CreateTopics", 7, 5, "create_topics"),
    ApiSpec(20, "DeleteTopics", 6, 4, "delete_topics"),
    ApiSpec(21, "DeleteRecords", 2, 2, "delete_records"),
    ApiSpec(22, "InitProducerId", 5, 2, "init_producer_id"),
    ApiSpec(23, "OffsetForLeaderEpoch", 4, 4, "offset_for_leader_epoch"),
    ApiSpec(24, "AddPartitionsToTxn", 5, 3, "add_partitions_to_txn"),
    ApiSpec(25, "AddOffsetsToTxn", 4, 3, "add_offsets_to_txn"),
    ApiSpec(26, "EndTxn", 4, 3, "end_txn"),
    ApiSpec(27, "WriteTxnMarkers", 1, 1, "write_txn_markers"),
    ApiSpec(28, "TxnOffsetCommit", 4, 3, "txn_offset_commit"),
    ApiSpec(29, "DescribeAcls", 3, 2, "acls"),
    ApiSpec(30, "CreateAcls", 3, 2, "acls"),
    ApiSpec(31, "DeleteAcls", 3, 2, "acls"),
    ApiSpec(32, "DescribeConfigs", 4, 4, "describe_configs"),
    ApiSpec(33, "AlterConfigs", 2, 2, "alter_configs"),
    ApiSpec(34, "AlterReplicaLogDirs", 2, 2, "log_dirs"),
    ApiSpec(35, "DescribeLogDirs", 4, 2, "log_dirs"),
    ApiSpec(36, "SaslAuthenticate", 2, 2, "sasl_authenticate"),
    ApiSpec(37, "CreatePartitions", 3, 2, "create_partitions"),
    ApiSpec(38, "CreateDelegationToken", 3, 2, "delegation_tokens"),
    ApiSpec(39, "RenewDelegationToken", 2, 2, "delegation_tokens"),
    ApiSpec(40, "ExpireDelegationToken", 2, 2, "delegation_tokens"),
    ApiSpec(41, "DescribeDelegationToken", 3, 2, "delegation_tokens"),
    ApiSpec(42, "DeleteGroups", 2, 2, "delete_groups"),
    ApiSpec(43, "ElectLeaders", 2, 2, "elect_leaders"),
    ApiSpec(44, "IncrementalAlterConfigs", 1, 1, "incremental_alter_configs"),
    ApiSpec(45, "AlterPartitionReassignments", 0, 0, "partition_reassignments"),
    ApiSpec(46, "ListPartitionReassignments", 0, 0, "partition_reassignments"),
    ApiSpec(47, "OffsetDelete", 0, NEVER, "offset_delete"),
    ApiSpec(48, "DescribeClientQuotas", 1, 1, "client_quotas"),
    ApiSpec(49, "AlterClientQuotas", 1, 1, "client_quotas"),
    ApiSpec(50, "DescribeUserScramCredentials", 0, 0, "scram_credentials"),
    ApiSpec(51, "AlterUserScramCredentials", 0, 0, "scram_credentials"),
    ApiSpec(55, "DescribeQuorum", 2, 0, "describe_quorum"),
    ApiSpec(56, "AlterPartition", 3, 0, "alter_partition"),
    ApiSpec(57, "UpdateFeatures", 1, 0, "update_features"),
    ApiSpec(58, "Envelope", 0, 0, "envelope"),
    ApiSpec(60, "DescribeCluster", 1, 0, "describe_cluster"),
    ApiSpec(61, "DescribeProducers", 0, 0, "describe_producers"),
    ApiSpec(64, "UnregisterBroker", 0, 0, "unregister_broker"),
    ApiSpec(65, "DescribeTransactions", 0, 0, "transactions"),
    ApiSpec(66, "ListTransactions", 1, 0, "transactions"),
    ApiSpec(67, "AllocateProducerIds", 0, 0, "allocate_producer_ids"),
    ApiSpec(68, "ConsumerGroupHeartbeat", 0, 0, "consumer_group_heartbeat"),
    ApiSpec(69, "ConsumerGroupDescribe", 0, 0, "consumer_group_describe"),
    ApiSpec(71, "GetTelemetrySubscriptions", 0, 0, "telemetry"),
    ApiSpec(72, "PushTelemetry", 0, 0, "telemetry"),
    ApiSpec(74, "ListClientMetricsResources", 0, 0, "list_client_metrics_resources"),
    ApiSpec(75, "DescribeTopicPartitions", 0, 0, "describe_topic_partitions"),
)

APIS: Final[dict[int, ApiSpec]] = {spec.key: spec for spec in _SPECS}
by_name: Final[dict[str, ApiSpec]] = {spec.name: spec for spec in _SPECS}
