"""A request of many items: read, served and answered in short stretches, between which others are.

Where its items have nothing to do with each other it is served as several requests of few items,
one after the other; else as a whole, and then it has a lower bound.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator, Iterator
from types import CoroutineType, GeneratorType
from typing import Any, NamedTuple

from pykafka_ops.broker.handlers.api import Context
from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.runtime.sockets.buffers import kept
from pykafka_ops.broker.runtime.sockets.dispatch import Api
from pykafka_ops.broker.runtime.sockets.long_work import MOST_ANSWER, in_pieces
from pykafka_ops.broker.runtime.sockets.memory import DecodedMemory
from pykafka_ops.broker.runtime.time_slice import STRETCH_S, TimeSlice
from pykafka_ops.errors import KafkaError, TooManyItemsError, WireError
from pykafka_ops.wire.apis import APIS, ApiKey
from pykafka_ops.wire.bulk import beside, empty, scrap, weight
from pykafka_ops.wire.codec import decode_steps
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.division import GatheredAnswer, Line, lines, part_of
from pykafka_ops.wire.message import table_of

MOST = 100_000
"""Items of a request that can be divided: more than any client of Kafka asks for."""
MOST_ORDERS = 500_000
"""Items of what the controller sends, which may name every partition."""
MOST_WHOLE = 10_000
"""Items of one that cannot, and in an item of one that can."""
BYTES_PER_BYTE = 32
"""Memory that a request takes when it is read, about, for each byte of its frame."""
BYTES_PER_ITEM = 400
"""And for each of its items, beside its bytes, at most."""
FIRST_PART = 16
"""Items of the first part; how many the next has depends on how long that took."""
LARGEST_PART = 1024


class Division(NamedTuple):
    """Where the items of a request stand, and those of its answer. ``once``: the fields of the
    first array's items that no two may have in common."""

    asked: str
    answer_path: str
    once: tuple[str, ...] = ()
    least: int = 1
    """Items of a part: more than one where each part writes all of a topic."""


BY_PARTITION = Division("topics.partitions", "topics.partitions")
BY_INDEX = Division("topics.partition_indexes", "topics.partitions")

DIVISIONS: dict[int, tuple[Division, ...]] = {
    ApiKey.PRODUCE: (Division("topic_data.partition_data", "responses.partition_responses"),),
    ApiKey.LIST_OFFSETS: (BY_PARTITION._replace(once=("name", "partition_index")),),
    ApiKey.METADATA: (Division("topics", "topics"),),
    ApiKey.LEADER_AND_ISR: (
        Division("topic_states.partition_states", "topics.partition_errors"),
        Division("topic_states.partition_states", "partition_errors"),
        Division("ungrouped_partition_states", "partition_errors"),
    ),
    ApiKey.STOP_REPLICA: (
        Division("topic_states.partition_states", "partition_errors"),
        Division("topics.partition_indexes", "partition_errors"),
        Division("ungrouped_partitions", "partition_errors"),
    ),
    ApiKey.UPDATE_METADATA: (
        Division("topic_states.partition_states", ""),
        Division("ungrouped_partition_states", ""),
    ),
    ApiKey.OFFSET_COMMIT: (BY_PARTITION,),
    ApiKey.OFFSET_FETCH: (
        Division("groups.topics.partition_indexes", "groups.topics.partitions"),
        BY_INDEX,
    ),
    ApiKey.FIND_COORDINATOR: (Division("coordinator_keys", "coordinators"),),
    ApiKey.LEAVE_GROUP: (Division("members", "members"),),
    ApiKey.DESCRIBE_GROUPS: (Division("groups", "groups"),),
    ApiKey.CONSUMER_GROUP_DESCRIBE: (Division("group_ids", "groups"),),
    ApiKey.CREATE_TOPICS: (Division("topics", "topics", ("name",)),),
    ApiKey.DELETE_TOPICS: (Division("topics", "responses"), Division("topic_names", "responses")),
    ApiKey.DELETE_RECORDS: (BY_PARTITION,),
    ApiKey.OFFSET_FOR_LEADER_EPOCH: (BY_PARTITION,),
    ApiKey.ADD_PARTITIONS_TO_TXN: (Division("transactions", "results_by_transaction"),),
    ApiKey.WRITE_TXN_MARKERS: (
        Division("markers.topics.partition_indexes", "markers.topics.partitions"),
    ),
    ApiKey.TXN_OFFSET_COMMIT: (BY_PARTITION,),
    ApiKey.CREATE_ACLS: (Division("creations", "results"),),
    ApiKey.DELETE_ACLS: (Division("filters", "filter_results"),),
    ApiKey.DESCRIBE_CONFIGS: (Division("resources", "results"),),
    ApiKey.ALTER_CONFIGS: (Division("resources", "responses", ("resource_type", "resource_name")),),
    ApiKey.INCREMENTAL_ALTER_CONFIGS: (
        Division("resources", "responses", ("resource_type", "resource_name")),
    ),
    ApiKey.ALTER_REPLICA_LOG_DIRS: (Division("dirs.topics.partitions", "results.partitions"),),
    ApiKey.CREATE_PARTITIONS: (Division("topics", "results", ("name",)),),
    ApiKey.DELETE_GROUPS: (Division("groups_names", "results"),),
    ApiKey.ELECT_LEADERS: (
        Division("topic_partitions.partitions", "replica_election_results.partition_result"),
    ),
    ApiKey.ALTER_PARTITION_REASSIGNMENTS: (
        Division("topics.partitions", "responses.partitions", least=1024),
    ),
    ApiKey.LIST_PARTITION_REASSIGNMENTS: (BY_INDEX,),
    ApiKey.OFFSET_DELETE: (BY_PARTITION,),
    ApiKey.ALTER_CLIENT_QUOTAS: (Division("entries", "entries"),),
    ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS: (Division("users", "results", ("name",)),),
    ApiKey.DESCRIBE_PRODUCERS: (BY_INDEX,),
    ApiKey.DESCRIBE_TRANSACTIONS: (Division("transactional_ids", "transaction_states"),),
}
"""What can be divided; of several rows the first that the request has items for, and its version
of the answer a place."""

ORDERS = (ApiKey.LEADER_AND_ISR, ApiKey.STOP_REPLICA, ApiKey.UPDATE_METADATA)

Fail = Callable[[Exception, object], object]


class LargeRequest:
    """One, in ``frame`` from ``body`` on; ``fail`` makes the answer where a handler raised."""

    def __init__(
        self,
        api: Api,
        context: Context,
        fail: Fail,
        memory: DecodedMemory,
        frame: memoryview,
        body: int,
    ) -> None:
        self._api = api
        self._memory = memory
        self._held = 0
        self._context = context
        self._fail = fail
        self._frame = kept(frame)
        self._body = body
        self._slice = TimeSlice()
        self._promise: asyncio.Future[object] | None = None
        self._abandoned = False
        self._whole = True
        self._error: Exception | None = None
        self._began = context.services.timer()
        self._work_s = 0.0

    def abandon(self) -> None:
        """The client has gone: stop working on the answer."""
        self._abandoned = True
        if self._promise is not None and not self._promise.done():
            self._promise.set_result(None)

    async def serve(self) -> object:
        """The answer. Raises WireError for what is no request, or holds too many items."""
        key, size = self._api.key, len(self._frame)
        most = MOST_ORDERS if key in ORDERS else MOST if key in DIVISIONS else MOST_WHOLE
        size += min(size * BYTES_PER_BYTE, size + most * BYTES_PER_ITEM)
        await self._memory.take(size)
        self._held = size
        try:
            return await self._served(most)
        finally:
            self._let_go()
            if self._context.meter is not None:
                self._context.meter.worked((self._work_s + self._slice.spent_s) * 1000)

    def _let_go(self) -> None:
        held, self._held = self._held, 0
        self._memory.give_back(held)

    async def _served(self, most: int) -> object:
        api, version = self._api, self._context.version
        assert api.request_class is not None
        steps = decode_steps(api.request_class, version, self._frame, self._body, most)
        message = await self._slice.drive(steps)
        try:
            return await self._answered(message)
        except TooManyItemsError:
            await self._slice.drive(scrap(message))
            raise

    async def _answered(self, message: Any) -> object:
        api, version = self._api, self._context.version
        for division in DIVISIONS.get(api.key, ()):
            name, _, _ = division.asked.partition(".")
            if getattr(message, name) and _has(
                APIS[api.key].response, division.answer_path, version
            ):
                if beside(message, name) > MOST_WHOLE:
                    raise TooManyItemsError(f"too many items beside {name}")
                self._whole = False
                return await self._divided(message, division)
        if weight(message) > MOST_WHOLE:
            raise TooManyItemsError(f"{type(message).__name__} has too many items")
        return await in_pieces(await self._answer(message), self._context.version, self._slice)

    async def _divided(self, message: Any, division: Division) -> object:
        """Part after part; each as long as serving the one before it suggests."""
        asked, version = division.asked.split("."), self._context.version
        twice = await self._slice.drive(_checked(lines(message, asked), division.once))
        self._error = KafkaError(ErrorCode.INVALID_REQUEST) if twice else None
        gathered = GatheredAnswer(
            division.answer_path.split(".") if division.answer_path else (), version, MOST_ANSWER
        )
        rest, size = lines(message, asked), max(FIRST_PART, division.least)
        holder, answered = None, False
        while not self._abandoned and (taken := _taken(rest, size)):
            began = time.thread_time()
            part = part_of(message, asked, taken)
            self._shorten(part)
            answer = await self._answer(part)
            took = time.thread_time() - began
            self._work_s += took
            size = max(division.least, _next_size(size, took))
            if answer is not None:
                answered = True
                steps = gathered.add(answer, goes_on=holder is taken[0][0])
                await self._slice.drive(steps)
            holder = taken[-1][0]
            await self._slice.pause()
        await self._slice.drive(gathered.finish())
        await self._slice.drive(empty(message, asked))
        return gathered if answered else None

    def _shorten(self, part: Any) -> None:
        """What the parts before took is gone from the time that the client gives."""
        if hasattr(part, "timeout_ms"):
            passed = int(self._context.services.timer() - self._began)
            part.timeout_ms = max(0, part.timeout_ms - passed)

    async def _answer(self, part: object) -> object:
        """What the handler answers, now or later. Where it raises, the rest fails, too."""
        handle = self._api.handle
        assert handle is not None
        if self._error is not None:
            return self._fail(self._error, part)
        try:
            answer: object = handle(self._context, part)
            while True:
                if type(answer) is Deferred:
                    answer = await self._promised(answer)
                elif type(answer) is GeneratorType:
                    answer = await self._slice.drive(answer)
                elif type(answer) is CoroutineType:
                    answer = await answer
                else:
                    return answer
        except WireError:
            raise
        except Exception as error:
            self._error = error
            return self._fail(error, part)

    async def _promised(self, promise: Deferred) -> object:
        if self._whole:  # its handler has taken what it needs, and may wait for long
            self._let_go()
        future = self._promise = asyncio.get_running_loop().create_future()
        promise.then(lambda answer: None if future.done() else future.set_result(answer))
        answer: object = await future
        promise.abandon()  # nothing where it was kept
        return answer


def _taken(rest: Iterator[Line], size: int) -> list[Line]:
    """The next lines, of so many items or a few more."""
    taken: list[Line] = []
    while size > 0 and (line := next(rest, None)) is not None:
        taken.append(line)
        size -= weight(line[-1])
    return taken


def _has(cls: type, path: str, version: int) -> bool:
    """Whether a message has the first field of a path in that version."""
    name = path.partition(".")[0]
    return not path or any(f.name == name and f.exists(version) for f in table_of(cls).fields)


def _next_size(size: int, took_s: float) -> int:
    """Items of the next part: twice as many, or half, where that takes about a stretch."""
    if took_s < STRETCH_S / 2:
        return min(2 * size, LARGEST_PART)
    return max(1, size // 2) if took_s > STRETCH_S else size


def _checked(found: Iterator[Line], names: tuple[str, ...]) -> Generator[None, None, bool]:
    """Whether two items have all these fields in common; each is of the next item in line.

    Raises TooManyItemsError where much stands in one of them.
    """
    seen = set()
    for count, line in enumerate(found):
        if weight(line[-1]) > MOST_WHOLE:
            raise TooManyItemsError(f"a {type(line[-1]).__name__} has too many items")
        if names and line[-1] is not None:
            last = len(line) - 1
            key = tuple([getattr(line[min(n, last)], name) for n, name in enumerate(names)])
            if key in seen:
                return True
            seen.add(key)
        if count % 64 == 0:
            yield
    while seen:  # as few at once as were put in
        for _ in range(min(64, len(seen))):
            seen.pop()
        yield
    return False
