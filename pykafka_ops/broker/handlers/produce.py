"""Produce (0), v0-11: append record batches to the partitions this broker leads.

v3 brought record batches v2 (older versions carry message sets, which are converted), v5 the
log start offset, v8 record errors, v9 flexible headers, v10 the current leader (KIP-951).
"""

from __future__ import annotations

import logging
from struct import Struct
from typing import TYPE_CHECKING, Any

from pykafka_ops.broker.handlers import leader_hint
from pykafka_ops.broker.state.deferred import Deferred
from pykafka_ops.broker.state.names import INTERNAL_TOPICS
from pykafka_ops.broker.state.purgatory import Waiter
from pykafka_ops.broker.storage.validate import RecordsRejectedError
from pykafka_ops.disk.batch import LOG_OVERHEAD, TRANSACTIONAL_FLAG, next_batch_size
from pykafka_ops.disk.compression import Codec
from pykafka_ops.errors import CorruptBatchError, KafkaError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.produce import (
    BatchIndexAndErrorMessage,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceResponse,
)

if TYPE_CHECKING:
    from pykafka_ops.broker.coordinators.elsewhere import Codes
    from pykafka_ops.broker.handlers.api import Answer, Context, Shape
    from pykafka_ops.broker.partitions.partition import Partition

log = logging.getLogger("kafka.server.ReplicaManager")

LENGTH_BYTE = 8
MAGIC_BYTE = 16
CODEC_BYTE = 22
"""Offsets inside a record batch of its length, its format and the attributes' low byte."""

LENGTH = Struct(">i")

WITHOUT_LOG_START = frozenset(
    {
        ErrorCode.CORRUPT_MESSAGE,
        ErrorCode.MESSAGE_TOO_LARGE,
        ErrorCode.RECORD_LIST_TOO_LARGE,
        ErrorCode.KAFKA_STORAGE_ERROR,
    }
)
"""Failures of an append whose answer does not tell where the log starts."""

KNOWS_ABORTABLE = 11
"""The first version that knows TRANSACTION_ABORTABLE."""

ADMIN_CLIENT_ID = "__admin_client"
"""The one client that may write to internal topics (``AdminUtils.ADMIN_CLIENT_ID``)."""

Pending = list[tuple["Partition", int, PartitionProduceResponse]]
"""Appended, not committed or not flushed yet: partition, offset that must be, answer."""


def handle(context: Context, request: ProduceRequest) -> Answer:
    """Append everything, then answer as ``acks`` asks."""
    acks = request.acks
    if acks not in (-1, 0, 1):
        return failed(request, context.version, KafkaError(ErrorCode.INVALID_REQUIRED_ACKS))
    work = Appends(context, acks)
    if any(is_transactional(d.records) for t in request.topic_data for d in t.partition_data):
        if request.transactional_id is None:
            raise KafkaError(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
        work.transactional_id = request.transactional_id
        waiting = _confirm_first(context, request, work, request.transactional_id)
        if waiting is not None:
            return waiting
    return _append_all(context, request, work)


def _confirm_first(
    context: Context, request: ProduceRequest, work: Appends, transactional_id: str
) -> Deferred | None:
    """The answer, where another broker coordinates the transaction and must be asked first."""
    from pykafka_ops.broker.handlers.txn_verification import after_confirming, to_confirm

    data = [(topic.name, each) for topic in request.topic_data for each in topic.partition_data]
    batches = [((t, d.index), d.records) for t, d in data if is_transactional(d.records)]
    found = to_confirm(context.services, transactional_id, batches)
    if found is None:
        return None
    for _, each in data:
        records: Any = each.records
        if records is not None:
            each.records = memoryview(bytearray(records))  # theirs is gone by then

    def go_on(codes: Codes) -> Answer:
        work.confirmed = codes
        work.now = context.services.clock()
        return _append_all(context, request, work)

    def fail(error: KafkaError) -> Answer:
        return failed(request, context.version, error)

    return after_confirming(context.services, *found, go_on, fail)


def _append_all(context: Context, request: ProduceRequest, work: Appends) -> Answer:
    response = ProduceResponse()
    for topic in request.topic_data:
        answers = [work.append(topic.name, d.index, d.records) for d in topic.partition_data]
        response.responses.append(
            TopicProduceResponse(name=topic.name, partition_responses=answers)
        )
    return conclude(context, work, response, request.timeout_ms)


def conclude(
    context: Context, work: Appends, response: ProduceResponse, timeout_ms: int
) -> ProduceResponse | Deferred | None:
    """What ``handle`` answers once everything is appended (or refused)."""
    if work.acks == 0:
        _unacknowledged(context, response.responses)
        return None
    for topic in response.responses:
        for answer in topic.partition_responses:
            if answer.error_code:
                _hint(context, response, topic.name, answer)
    if work.pending:
        deadline = context.services.timer() + timeout_ms
        return _wait(context, response, work, deadline)
    return response


class Appends:
    """The appends of one request; ``pending`` are those acks=all has to wait for."""

    __slots__ = (
        "acks",
        "confirmed",
        "internal_allowed",
        "now",
        "pending",
        "services",
        "transactional_id",
        "version",
    )

    def __init__(self, context: Context, acks: int) -> None:
        self.services = context.services
        self.version = context.version
        self.acks = acks
        self.internal_allowed = context.client_id == ADMIN_CLIENT_ID
        self.now = context.services.clock()
        self.pending: Pending = []
        self.transactional_id: str | None = None
        self.confirmed: Codes | None = None
        """What the transaction's coordinator has said, if it is another broker."""

    def append(self, topic: str, index: int, records: Any) -> PartitionProduceResponse:
        """Append to one partition, or say in the answer why not."""
        answer = PartitionProduceResponse(index=index)
        try:
            self._append(topic, index, records, answer)
        except KafkaError as error:
            _refuse(answer, error)
        except Exception as error:
            log.error("appending to %s-%d failed", topic, index, exc_info=error)
            _refuse(answer, KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR))
        return answer

    def _append(
        self, topic: str, index: int, records: Any, answer: PartitionProduceResponse
    ) -> None:
        """Append to one partition and fill in its answer; raises KafkaError."""
        replicas = self.services.replicas
        partition = replicas.find(topic, index)
        if partition is None or partition.leader != replicas.broker_id:
            known = self.services.image.partition(topic, index) is not None
            partition = replicas.leader(topic, index, known=known)
        _check_records(self.version, records)
        if topic in INTERNAL_TOPICS and not self.internal_allowed:
            raise KafkaError(
                ErrorCode.INVALID_TOPIC_EXCEPTION, f"Cannot append to internal topic {topic}"
            )
        if self.acks == -1 and not partition.enough_in_sync():
            raise KafkaError(ErrorCode.NOT_ENOUGH_REPLICAS)
        if records is None or not len(records):
            answer.base_offset = -1
            return
        guard = None
        if self.transactional_id is not None and is_transactional(records):
            guard = self._guard(partition, records, self.transactional_id)
        try:
            info = replicas.append(partition, records, now=self.now, guard=guard)
        except KafkaError as error:
            _refuse(answer, error)
            if error.code not in WITHOUT_LOG_START:
                answer.log_start_offset = partition.log.log_start_offset
            return
        answer.base_offset, last, answer.log_append_time_ms, answer.log_start_offset, _ = info
        log = partition.log
        if log.durability.owed >= 0 or (self.acks == -1 and log.high_watermark <= last):
            self.pending.append((partition, last + 1, answer))

    def _guard(self, partition: Partition, records: Any, transactional_id: str) -> object | None:
        """What a transactional batch is appended with; raises as ``guard_for``."""
        from pykafka_ops.broker.handlers.txn_verification import guard_for_batch

        abortable = self.version >= KNOWS_ABORTABLE
        return guard_for_batch(
            self.services, partition, transactional_id, records, abortable, self.confirmed
        )


def is_transactional(records: Any) -> bool:
    """Whether a batch belongs to a transaction."""
    if records is None or len(records) <= CODEC_BYTE:
        return False
    return records[MAGIC_BYTE] == 2 and bool(records[CODEC_BYTE] & TRANSACTIONAL_FLAG)


def _check_records(version: int, records: Any) -> None:
    """What the request's version forbids (``ProduceRequest.validateRecords``).

    Raises KafkaError INVALID_RECORD, CORRUPT_MESSAGE or UNSUPPORTED_COMPRESSION_TYPE.
    """
    if version < 3:
        return
    if records is not None and version >= 7 and len(records) > CODEC_BYTE:
        magic, (length,) = records[MAGIC_BYTE], LENGTH.unpack_from(records, LENGTH_BYTE)
        if magic == 2 and length + LOG_OVERHEAD == len(records):
            return  # the usual: one batch and nothing else
    size = None if records is None else _batch_size(records, 0)
    if size is None:
        raise KafkaError(
            ErrorCode.INVALID_RECORD,
            f"Produce requests with version {version} must have at least one record batch per "
            "partition",
        )
    if records[MAGIC_BYTE] != 2:
        raise KafkaError(
            ErrorCode.INVALID_RECORD,
            f"Produce requests with version {version} are only allowed to contain record batches "
            "with magic version 2",
        )
    if version < 7:
        _check_codec(version, records[CODEC_BYTE] & 7)
    if _batch_size(records, size) is not None:
        raise KafkaError(
            ErrorCode.INVALID_RECORD,
            f"Produce requests with version {version} are only allowed to contain exactly one "
            "record batch per partition",
        )


def _check_codec(version: int, codec: int) -> None:
    """Clients before v7 do not know zstd (KIP-110)."""
    if codec == Codec.ZSTD:
        raise KafkaError(
            ErrorCode.UNSUPPORTED_COMPRESSION_TYPE,
            f"Produce requests with version {version} are not allowed to use ZStandard compression",
        )
    if codec > Codec.ZSTD:
        raise KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR, f"Unknown compression type id: {codec}")


def _batch_size(records: Any, position: int) -> int | None:
    """The size of the batch at ``position``, None if it is not whole."""
    try:
        return next_batch_size(records, position)
    except CorruptBatchError as error:
        raise KafkaError(ErrorCode.CORRUPT_MESSAGE, str(error)) from error


def _refuse(answer: PartitionProduceResponse, error: KafkaError) -> None:
    answer.error_code = error.code
    answer.base_offset = -1
    answer.log_append_time_ms = -1
    answer.log_start_offset = -1
    answer.error_message = error.message or None
    if isinstance(error, RecordsRejectedError):
        answer.record_errors = [
            BatchIndexAndErrorMessage(batch_index=index, batch_index_error_message=reason)
            for index, reason in error.record_errors
        ]


def _hint(
    context: Context, response: ProduceResponse, topic: str, answer: PartitionProduceResponse
) -> None:
    """Tell who leads the partition now, if that is why it was refused (KIP-951)."""
    if answer.error_code != ErrorCode.NOT_LEADER_OR_FOLLOWER or context.version < 10:
        return
    hint = leader_hint.find(context, topic, answer.index)
    answer.current_leader = LeaderIdAndEpoch(**hint._asdict())
    told = {node.node_id for node in response.node_endpoints}
    response.node_endpoints += leader_hint.endpoints(context, {hint.leader_id} - told, NodeEndpoint)


def _unacknowledged(context: Context, topics: list[TopicProduceResponse]) -> None:
    """acks=0 has no answer; a failure closes the connection so that metadata is refreshed."""
    for topic in topics:
        for answer in topic.partition_responses:
            if answer.error_code:
                context.close_connection = True
                return


def _wait(context: Context, response: ProduceResponse, work: Appends, deadline: float) -> Deferred:
    """Answer when every partition is committed (acks=all) and flushed as its topic asks, or say
    what was not in time."""
    replicas = context.services.replicas
    deferred = Deferred()
    pending = work.pending

    def outcome(partition: Partition, required: int) -> ErrorCode:
        return (_outcome if work.acks == -1 else _flushed)(partition, required)

    def ready() -> bool:
        return all(
            outcome(partition, required) is not _WAITING for partition, required, _ in pending
        )

    def finish(expired: bool) -> None:
        for partition, required, answer in pending:
            code = outcome(partition, required)
            if code is not ErrorCode.NONE:
                _refuse(answer, KafkaError(code))
                _hint(context, response, partition.topic, answer)
        deferred.resolve(response)

    def fail(error: Exception) -> None:
        log.error("waiting for replicas failed", exc_info=error)
        for _, _, answer in pending:
            _refuse(answer, KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR))
        deferred.resolve(response)

    waiter = Waiter([p.key for p, _, _ in pending], deadline, ready, finish, fail)
    deferred.on_abandon = lambda: replicas.produces.drop(waiter)
    replicas.wait(replicas.produces, waiter)
    return deferred


_WAITING = ErrorCode.REQUEST_TIMED_OUT
"""The outcome of an append that is not committed yet: what it says if time runs out."""


def _outcome(partition: Partition, required: int) -> ErrorCode:
    """How an append stands that needs the high watermark at ``required``."""
    if not partition.is_leader:
        return ErrorCode.NOT_LEADER_OR_FOLLOWER
    try:
        if partition.log.high_watermark < required:
            return _WAITING
        if not partition.enough_in_sync():
            return ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND
    except KafkaError as error:
        return ErrorCode(error.code)
    return ErrorCode.NONE


def _flushed(partition: Partition, required: int) -> ErrorCode:
    """How an append with acks=1 stands whose topic wants it flushed first."""
    try:
        records = partition.log
    except KafkaError as error:
        return ErrorCode(error.code)
    return _WAITING if records.durability.up_to(required) < required else ErrorCode.NONE


def failed(request: ProduceRequest | None, version: int, error: KafkaError) -> Answer:
    """Every partition of the request with the same error."""
    if request is None or request.acks == 0:
        return None
    response = ProduceResponse()
    for topic in request.topic_data:
        answers = []
        for data in topic.partition_data:
            answer = PartitionProduceResponse(index=data.index)
            _refuse(answer, error)
            answers.append(answer)
        response.responses.append(
            TopicProduceResponse(name=topic.name, partition_responses=answers)
        )
    return response


def shape(context: Context, request: ProduceRequest, frame: memoryview) -> Shape | None:
    """What serves the next requests like this one; None if it is not of the usual kind."""
    from pykafka_ops.broker.handlers import produce_shape

    return produce_shape.shape(context, request, frame)
