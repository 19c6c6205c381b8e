"""Kafka's error codes: number, name, whether a retry may help, Java exception, default text.

Kafka counterpart: ``org.apache.kafka.common.protocol.Errors`` of 3.9. Messages keep codes as plain
numbers, since a newer peer may send one that is not listed here.
"""

from __future__ import annotations

from enum import IntEnum


class ErrorCode(IntEnum):
    """One code; ``ErrorCode(3)`` raises ValueError for a number Kafka 3.9 does not know.

    ``retriable``: Kafka's clients try again on their own. ``exception_name``: short name of the
    exception that Kafka's Java clients and tools raise and print ("" for NONE).
    """

    retriable: bool
    exception_name: str

    def __new__(cls, value: int, retriable: bool = False, exception_name: str = "") -> ErrorCode:
        """An int with two more attributes."""
        member = int.__new__(cls, value)
        member._value_ = value
        member.retriable = retriable
        member.exception_name = exception_name
        return member

    @classmethod
    def of(cls, code: int) -> ErrorCode:
        """The member for ``code``; UNKNOWN_SERVER_ERROR when unknown, as Kafka's clients do."""
        try:
            return cls(code)
        except ValueError:
            return cls.UNKNOWN_SERVER_ERROR

    @property
    def text(self) -> str:
        """Kafka's default message for this code."""
        from pykafka_ops.wire.code_texts import TEXTS

        return TEXTS[self.name]

    UNKNOWN_SERVER_ERROR = -1, False, "UnknownServerException"
    NONE = 0, False, ""
    OFFSET_OUT_OF_RANGE = 1, False, "OffsetOutOfRangeException"
    CORRUPT_MESSAGE = 2, True, "CorruptRecordException"
    UNKNOWN_TOPIC_OR_PARTITION = 3, True, "UnknownTopicOrPartitionException"
    INVALID_FETCH_SIZE = 4, False, "InvalidFetchSizeException"
    LEADER_NOT_AVAILABLE = 5, True, "LeaderNotAvailableException"
    NOT_LEADER_OR_FOLLOWER = 6, True, "NotLeaderOrFollowerException"
    REQUEST_TIMED_OUT = 7, True, "TimeoutException"
    BROKER_NOT_AVAILABLE = 8, False, "BrokerNotAvailableException"
    REPLICA_NOT_AVAILABLE = 9, True, "ReplicaNotAvailableException"
    MESSAGE_TOO_LARGE = 10, False, "RecordTooLargeException"
    STALE_CONTROLLER_EPOCH = 11, False, "ControllerMovedException"
    OFFSET_METADATA_TOO_LARGE = 12, False, "OffsetMetadataTooLarge"
    NETWORK_EXCEPTION = 13, True, "NetworkException"
    COORDINATOR_LOAD_IN_PROGRESS = 14, True, "CoordinatorLoadInProgressException"
    COORDINATOR_NOT_AVAILABLE = 15, True, "CoordinatorNotAvailableException"
    NOT_COORDINATOR = 16, True, "NotCoordinatorException"
    INVALID_TOPIC_EXCEPTION = 17, False, "InvalidTopicException"
    RECORD_LIST_TOO_LARGE = 18, False, "RecordBatchTooLargeException"
    NOT_ENOUGH_REPLICAS = 19, True, "NotEnoughReplicasException"
    NOT_ENOUGH_REPLICAS_AFTER_APPEND = 20, True, "NotEnoughReplicasAfterAppendException"
    INVALID_REQUIRED_ACKS = 21, False, "InvalidRequiredAcksException"
    ILLEGAL_GENERATION = 22, False, "IllegalGenerationException"
    INCONSISTENT_GROUP_PROTOCOL = 23, False, "InconsistentGroupProtocolException"
    INVALID_GROUP_ID = 24, False, "InvalidGroupIdException"
    UNKNOWN_MEMBER_ID = 25, False, "UnknownMemberIdException"
    INVALID_SESSION_TIMEOUT = 26, False, "InvalidSessionTimeoutException"
    REBALANCE_IN_PROGRESS = 27, False, "RebalanceInProgressException"
    INVALID_COMMIT_OFFSET_SIZE = 28, False, "InvalidCommitOffsetSizeException"
    TOPIC_AUTHORIZATION_FAILED = 29, False, "TopicAuthorizationException"
    GROUP_AUTHORIZATION_FAILED = 30, False, "GroupAuthorizationException"
    CLUSTER_AUTHORIZATION_FAILED = 31, False, "ClusterAuthorizationException"
    INVALID_TIMESTAMP = 32, False, "InvalidTimestampException"
    UNSUPPORTED_SASL_MECHANISM = 33, False, "UnsupportedSaslMechanismException"
    ILLEGAL_SASL_STATE = 34, False, "IllegalSaslStateException"
    UNSUPPORTED_VERSION = 35, False, "UnsupportedVersionException"
    TOPIC_ALREADY_EXISTS = 36, False, "TopicExistsException"
    INVALID_PARTITIONS = 37, False, "InvalidPartitionsException"
    INVALID_REPLICATION_FACTOR = 38, False, "InvalidReplicationFactorException"
    INVALID_REPLICA_ASSIGNMENT = 39, False, "InvalidReplicaAssignmentException"
    INVALID_CONFIG = 40, False, "InvalidConfigurationException"
    NOT_CONTROLLER = 41, True, "NotControllerException"
    INVALID_REQUEST = 42, False, "InvalidRequestException"
    UNSUPPORTED_FOR_MESSAGE_FORMAT = 43, False, "UnsupportedForMessageFormatException"
    POLICY_VIOLATION = 44, False, "PolicyViolationException"
    OUT_OF_ORDER_SEQUENCE_NUMBER = 45, False, "OutOfOrderSequenceException"
    DUPLICATE_SEQUENCE_NUMBER = 46, False, "DuplicateSequenceException"
    INVALID_PRODUCER_EPOCH = 47, False, "InvalidProducerEpochException"
    INVALID_TXN_STATE = 48, False, "InvalidTxnStateException"
    INVALID_PRODUCER_ID_MAPPING = 49, False, "InvalidPidMappingException"
    INVALID_TRANSACTION_TIMEOUT = 50, False, "InvalidTxnTimeoutException"
    CONCURRENT_TRANSACTIONS = 51, True, "ConcurrentTransactionsException"
    TRANSACTION_COORDINATOR_FENCED = 52, False, "TransactionCoordinatorFencedException"
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED = 53, False, "TransactionalIdAuthorizationException"
    SECURITY_DISABLED = 54, False, "SecurityDisabledException"
    OPERATION_NOT_ATTEMPTED = 55, False, "OperationNotAttemptedException"
    KAFKA_STORAGE_ERROR = 56, True, "KafkaStorageException"
    LOG_DIR_NOT_FOUND = 57, False, "LogDirNotFoundException"
    SASL_AUTHENTICATION_FAILED = 58, False, "SaslAuthenticationException"
    UNKNOWN_PRODUCER_ID = 59, False, "UnknownProducerIdException"
    REASSIGNMENT_IN_PROGRESS = 60, False, "ReassignmentInProgressException"
    DELEGATION_TOKEN_AUTH_DISABLED = 61, False, "DelegationTokenDisabledException"
    DELEGATION_TOKEN_NOT_FOUND = 62, False, "DelegationTokenNotFoundException"
    DELEGATION_TOKEN_OWNER_MISMATCH = 63, False, "DelegationTokenOwnerMismatchException"
    DELEGATION_TOKEN_REQUEST_NOT_ALLOWED = 64, False, "UnsupportedByAuthenticationException"
    DELEGATION_TOKEN_AUTHORIZATION_FAILED = 65, False, "DelegationTokenAuthorizationException"
    DELEGATION_TOKEN_EXPIRED = 66, False, "DelegationTokenExpiredException"
    INVALID_PRINCIPAL_TYPE = 67, False, "InvalidPrincipalTypeException"
    NON_EMPTY_GROUP = 68, False, "GroupNotEmptyException"
    GROUP_ID_NOT_FOUND = 69, False, "GroupIdNotFoundException"
    FETCH_SESSION_ID_NOT_FOUND = 70, True, "FetchSessionIdNotFoundException"
    INVALID_FETCH_SESSION_EPOCH = 71, True, "InvalidFetchSessionEpochException"
    LISTENER_NOT_FOUND = 72, True, "ListenerNotFoundException"
    TOPIC_DELETION_DISABLED = 73, False, "TopicDeletionDisabledException"
    FENCED_LEADER_EPOCH = 74, True, "FencedLeaderEpochException"
    UNKNOWN_LEADER_EPOCH = 75, True, "UnknownLeaderEpochException"
    UNSUPPORTED_COMPRESSION_TYPE = 76, False, "UnsupportedCompressionTypeException"
    STALE_BROKER_EPOCH = 77, False, "StaleBrokerEpochException"
    OFFSET_NOT_AVAILABLE = 78, True, "OffsetNotAvailableException"
    MEMBER_ID_REQUIRED = 79, False, "MemberIdRequiredException"
    PREFERRED_LEADER_NOT_AVAILABLE = 80, True, "PreferredLeaderNotAvailableException"
    GROUP_MAX_SIZE_REACHED = 81, False, "GroupMaxSizeReachedException"
    FENCED_INSTANCE_ID = 82, False, "FencedInstanceIdException"
    ELIGIBLE_LEADERS_NOT_AVAILABLE = 83, True, "EligibleLeadersNotAvailableException"
    ELECTION_NOT_NEEDED = 84, True, "ElectionNotNeededException"
    NO_REASSIGNMENT_IN_PROGRESS = 85, False, "NoReassignmentInProgressException"
    GROUP_SUBSCRIBED_TO_TOPIC = 86, False, "GroupSubscribedToTopicException"
    INVALID_RECORD = 87, False, "InvalidRecordException"
    UNSTABLE_OFFSET_COMMIT = 88, True, "UnstableOffsetCommitException"
    THROTTLING_QUOTA_EXCEEDED = 89, True, "ThrottlingQuotaExceededException"
    PRODUCER_FENCED = 90, False, "ProducerFencedException"
    RESOURCE_NOT_FOUND = 91, False, "ResourceNotFoundException"
    DUPLICATE_RESOURCE = 92, False, "DuplicateResourceException"
    UNACCEPTABLE_CREDENTIAL = 93, False, "UnacceptableCredentialException"
    INCONSISTENT_VOTER_SET = 94, False, "InconsistentVoterSetException"
    INVALID_UPDATE_VERSION = 95, False, "InvalidUpdateVersionException"
    FEATURE_UPDATE_FAILED = 96, False, "FeatureUpdateFailedException"
    PRINCIPAL_DESERIALIZATION_FAILURE = 97, False, "PrincipalDeserializationException"
    SNAPSHOT_NOT_FOUND = 98, False, "SnapshotNotFoundException"
    POSITION_OUT_OF_RANGE = 99, False, "PositionOutOfRangeException"
    UNKNOWN_TOPIC_ID = 100, True, "UnknownTopicIdException"
    DUPLICATE_BROKER_REGISTRATION = 101, False, "DuplicateBrokerRegistrationException"
    BROKER_ID_NOT_REGISTERED = 102, False, "BrokerIdNotRegisteredException"
    INCONSISTENT_TOPIC_ID = 103, True, "InconsistentTopicIdException"
    INCONSISTENT_CLUSTER_ID = 104, False, "InconsistentClusterIdException"
    TRANSACTIONAL_ID_NOT_FOUND = 105, False, "TransactionalIdNotFoundException"
    FETCH_SESSION_TOPIC_ID_ERROR = 106, True, "FetchSessionTopicIdException"
    INELIGIBLE_REPLICA = 107, False, "IneligibleReplicaException"
    NEW_LEADER_ELECTED = 108, False, "NewLeaderElectedException"
    OFFSET_MOVED_TO_TIERED_STORAGE = 109, False, "OffsetMovedToTieredStorageException"
    FENCED_MEMBER_EPOCH = 110, False, "FencedMemberEpochException"
    UNRELEASED_INSTANCE_ID = 111, False, "UnreleasedInstanceIdException"
    UNSUPPORTED_ASSIGNOR = 112, False, "UnsupportedAssignorException"
    STALE_MEMBER_EPOCH = 113, False, "StaleMemberEpochException"
    MISMATCHED_ENDPOINT_TYPE = 114, False, "MismatchedEndpointTypeException"
    UNSUPPORTED_ENDPOINT_TYPE = 115, False, "UnsupportedEndpointTypeException"
    UNKNOWN_CONTROLLER_ID = 116, False, "UnknownControllerIdException"
    UNKNOWN_SUBSCRIPTION_ID = 117, False, "UnknownSubscriptionIdException"
    TELEMETRY_TOO_LARGE = 118, False, "TelemetryTooLargeException"
    INVALID_REGISTRATION = 119, False, "InvalidRegistrationException"
    TRANSACTION_ABORTABLE = 120, False, "TransactionAbortableException"
    INVALID_RECORD_STATE = 121, False, "InvalidRecordStateException"
    SHARE_SESSION_NOT_FOUND = 122, True, "ShareSessionNotFoundException"
    INVALID_SHARE_SESSION_EPOCH = 123, True, "InvalidShareSessionEpochException"
    FENCED_STATE_EPOCH = 124, False, "FencedStateEpochException"
    INVALID_VOTER_KEY = 125, False, "InvalidVoterKeyException"
    DUPLICATE_VOTER = 126, False, "DuplicateVoterException"
    VOTER_NOT_FOUND = 127, False, "VoterNotFoundException"
    INVALID_REGULAR_EXPRESSION = 128, False, "InvalidRegularExpression"
