"""Which APIs there are: one row each, from which all else about an API follows.

Importing this module imports no message; ``spec.request`` and ``spec.response`` do, once.
Kafka counterpart: ``ApiKeys``, ``ApiMessageType`` and the heads of the JSON specifications.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cached_property
from importlib import import_module
from typing import Any, Final, Self

from pykafka_ops.wire.types import NEVER, Range, versions_of

KRAFT: Final = "none"
"""Served versions of an API that brokers in ZooKeeper mode do not have: only our tools ask it."""


class ApiKey(IntEnum):
    """One row per API, under the name of Kafka's ``ApiKeys``: its key, the versions our messages
    have, those with compact lengths and tagged fields (KIP-482), and those served, if not all.

    The messages of ``LIST_OFFSETS`` are ``ListOffsetsRequest`` and ``ListOffsetsResponse`` in
    ``messages/list_offsets.py``. ``served`` are the versions that a broker of Kafka 3.9 in
    ZooKeeper mode has; ours announces the same. What is newer, only our tools ask for.
    """

    _value_: int
    versions: Range
    flexible: Range
    served: Range

    def __new__(cls, key: int, versions: str, flexible: str, served: str | None = None) -> Self:
        """The key, with what else its row says."""
        api = int.__new__(cls, key)
        api._value_ = key
        api.versions = versions_of(versions)
        api.flexible = versions_of(flexible)
        api.served = api.versions if served is None else versions_of(served)
        return api

    @property
    def is_announced(self) -> bool:
        """Whether a broker of Kafka 3.9 in ZooKeeper mode has it, and so has ours."""
        return self.served != NEVER

    PRODUCE = 0, "0-11", "9+"
    FETCH = 1, "0-17", "12+"
    LIST_OFFSETS = 2, "0-11", "6+", "0-9"
    METADATA = 3, "0-13", "9+", "0-12"
    LEADER_AND_ISR = 4, "0-7", "4+"
    STOP_REPLICA = 5, "0-4", "2+"
    UPDATE_METADATA = 6, "0-8", "6+"
    CONTROLLED_SHUTDOWN = 7, "0-3", "3+"
    OFFSET_COMMIT = 8, "0-9", "8+"
    OFFSET_FETCH = 9, "0-9", "6+"
    FIND_COORDINATOR = 10, "0-6", "3+"
    JOIN_GROUP = 11, "0-9", "6+"
    HEARTBEAT = 12, "0-4", "4+"
    LEAVE_GROUP = 13, "0-5", "4+"
    SYNC_GROUP = 14, "0-5", "4+"
    DESCRIBE_GROUPS = 15, "0-6", "5+", "0-5"
    LIST_GROUPS = 16, "0-5", "3+"
    SASL_HANDSHAKE = 17, "0-1", "none"
    API_VERSIONS = 18, "0-4", "3+"
    CREATE_TOPICS = 19, "0-7", "5+"
    DELETE_TOPICS = 20, "0-6", "4+"
    DELETE_RECORDS = 21, "0-2", "2+"
    INIT_PRODUCER_ID = 22, "0-5", "2+"
    OFFSET_FOR_LEADER_EPOCH = 23, "0-4", "4+"
    ADD_PARTITIONS_TO_TXN = 24, "0-5", "3+"
    ADD_OFFSETS_TO_TXN = 25, "0-4", "3+"
    END_TXN = 26, "0-4", "3+"
    WRITE_TXN_MARKERS = 27, "0-2", "1+", "0-1"
    TXN_OFFSET_COMMIT = 28, "0-4", "3+"
    DESCRIBE_ACLS = 29, "0-3", "2+"
    CREATE_ACLS = 30, "0-3", "2+"
    DELETE_ACLS = 31, "0-3", "2+"
    DESCRIBE_CONFIGS = 32, "0-4", "4+"
    ALTER_CONFIGS = 33, "0-2", "2+"
    ALTER_REPLICA_LOG_DIRS = 34, "0-2", "2+"
    DESCRIBE_LOG_DIRS = 35, "0-5", "2+", "0-4"
    SASL_AUTHENTICATE = 36, "0-2", "2+"
    CREATE_PARTITIONS = 37, "0-3", "2+"
    CREATE_DELEGATION_TOKEN = 38, "0-3", "2+"
    RENEW_DELEGATION_TOKEN = 39, "0-2", "2+"
    EXPIRE_DELEGATION_TOKEN = 40, "0-2", "2+"
    DESCRIBE_DELEGATION_TOKEN = 41, "0-3", "2+"
    DELETE_GROUPS = 42, "0-3", "2+", "0-2"
    ELECT_LEADERS = 43, "0-2", "2+"
    INCREMENTAL_ALTER_CONFIGS = 44, "0-1", "1+"
    ALTER_PARTITION_REASSIGNMENTS = 45, "0-1", "0+", "0"
    LIST_PARTITION_REASSIGNMENTS = 46, "0", "0+"
    OFFSET_DELETE = 47, "0", "none"
    DESCRIBE_CLIENT_QUOTAS = 48, "0-1", "1+"
    ALTER_CLIENT_QUOTAS = 49, "0-1", "1+"
    DESCRIBE_USER_SCRAM_CREDENTIALS = 50, "0", "0+"
    ALTER_USER_SCRAM_CREDENTIALS = 51, "0", "0+"
    DESCRIBE_QUORUM = 55, "0-2", "0+", KRAFT
    ALTER_PARTITION = 56, "0-3", "0+"
    UPDATE_FEATURES = 57, "0-2", "0+", "0-1"
    ENVELOPE = 58, "0", "0+"
    DESCRIBE_CLUSTER = 60, "0-2", "0+", "0-1"
    DESCRIBE_PRODUCERS = 61, "0", "0+"
    UNREGISTER_BROKER = 64, "0", "0+", KRAFT
    DESCRIBE_TRANSACTIONS = 65, "0", "0+"
    LIST_TRANSACTIONS = 66, "0-2", "0+", "0-1"
    ALLOCATE_PRODUCER_IDS = 67, "0", "0+"
    CONSUMER_GROUP_HEARTBEAT = 68, "0-1", "0+", "0"
    CONSUMER_GROUP_DESCRIBE = 69, "0-1", "0+", "0"
    LIST_CLIENT_METRICS_RESOURCES = 74, "0-1", "0+", KRAFT
    DESCRIBE_TOPIC_PARTITIONS = 75, "0", "0+", KRAFT
    SHARE_GROUP_HEARTBEAT = 76, "1", "0+", KRAFT
    SHARE_GROUP_DESCRIBE = 77, "1", "0+", KRAFT
    SHARE_FETCH = 78, "1-2", "0+", KRAFT
    SHARE_ACKNOWLEDGE = 79, "1-2", "0+", KRAFT
    ADD_RAFT_VOTER = 80, "0-1", "0+", KRAFT
    REMOVE_RAFT_VOTER = 81, "0", "0+", KRAFT
    STREAMS_GROUP_DESCRIBE = 89, "0-1", "0+", KRAFT
    DESCRIBE_SHARE_GROUP_OFFSETS = 90, "0-1", "0+", KRAFT
    ALTER_SHARE_GROUP_OFFSETS = 91, "0", "0+", KRAFT
    DELETE_SHARE_GROUP_OFFSETS = 92, "0", "0+", KRAFT


class ApiSpec:
    """What follows from the row of one API: names, first and last version, messages.

    ``name`` is Kafka's, as in ListOffsets; ``file`` is the basename of the files that hold the
    messages and the handler. ``flexible`` is the first version with KIP-482 encoding.
    """

    def __init__(self, api: ApiKey) -> None:
        self.key = int(api)
        self.name = "".join(word.capitalize() for word in api.name.split("_"))
        self.file = api.name.lower()
        self.min_version, self.max_version = api.versions
        self.flexible = api.flexible[0]

    def __repr__(self) -> str:
        return f"ApiSpec({self.name}, key {self.key}, {self.min_version}-{self.max_version})"

    @cached_property
    def request(self) -> type[Any]:
        """The request class; its module is imported now."""
        return self._class("Request")

    @cached_property
    def response(self) -> type[Any]:
        """The response class; its module is imported now."""
        return self._class("Response")

    def _class(self, kind: str) -> type[Any]:
        module = import_module(f"pykafka_ops.wire.messages.{self.file}")
        found: type[Any] = getattr(module, self.name + kind)
        return found


APIS: Final[dict[int, ApiSpec]] = {int(api): ApiSpec(api) for api in ApiKey}
