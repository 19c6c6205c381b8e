"""The same requests to our broker and to Apache Kafka, and what differs in their answers.

A *case* is a function that talks to one broker through a :class:`Side`, in one version of one
API. It runs once for each broker, on topics with the same names; every answer is noted as plain
data (``plain``), and the two lists of answers must be equal, but for the deviations
that ``deviations`` names with their reasons.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from pykafka_ops.wire.apis import APIS, ApiKey
from pykafka_ops.wire.frame import decode_response, encode_request
from pykafka_ops.wire.message import table_of
from pykafka_ops.wire.messages.api_versions import ApiVersionsRequest
from pykafka_ops.wire.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from pykafka_ops.wire.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from pykafka_ops.wire.types import versions_of
from tests.support.differential.plain import Difference, Plain, differences, only_named
from tests.support.wire.raw import Connection

CLIENT = "differential"
SECONDS = 60.0
CLOSED, SILENT, ANSWERED = "the broker closed the connection", "no answer", "answered"

RANDOM_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""The part of a member's id that its coordinator draws."""

Run = Callable[["Side", int], None]


class Case(NamedTuple):
    """One scenario in one version of the API it is about."""

    api: ApiKey
    version: int
    name: str
    run: Run
    masks: tuple[str, ...] = ()
    alone: bool = False

    @property
    def title(self) -> str:
        return f"{APIS[self.api].name}-{self.name}-v{self.version}"


class Cases(list[Case]):
    """Scenarios; ``@CASES.add(ApiKey.X, "0-3")`` puts a function in, once for each version."""

    def add(
        self, api: ApiKey, versions: str, *, masks: tuple[str, ...] = (), alone: bool = False
    ) -> Callable[[Run], Run]:
        """``masks`` are paths (``note/path``, globs) of what may differ by its nature; a case
        that changes the whole broker, or looks at all of it, must be ``alone``."""
        first, last = versions_of(versions)

        def put(run: Run) -> Run:
            name = getattr(run, "__name__", "").replace("_", "-")
            self.extend(Case(api, v, name, run, masks, alone) for v in range(first, last + 1))
            return run

        return put


class Step(NamedTuple):
    """What one request was answered with."""

    note: str
    data: Any


def trimmed(message: Any, version: int) -> Any:
    """The message without the fields that ``version`` does not have."""
    if isinstance(message, list):
        return [trimmed(each, version) for each in message]
    if not hasattr(type(message), "__wire__"):
        return message
    fields = table_of(type(message)).fields
    kept = {f.name: trimmed(getattr(message, f.name), version) for f in fields if f.exists(version)}
    return type(message)(**kept)


class Side:
    """One broker, as one case talks to it; ``steps`` is what it answered.

    ``mute``: it is known never to answer where a case has a short time-out; any other has time.
    """

    def __init__(self, bootstrap: str, prefix: str, case: Case, *, mute: bool = False) -> None:
        self.bootstrap = bootstrap
        self.case = case
        self.ids: dict[bytes, str] = {}
        self.steps: list[Step] = []
        self._names = f"{prefix}-{case.title.lower()}-"
        self._plain = Plain(self.ids, int(bootstrap.rpartition(":")[2]), self.clean)
        self._mute = mute
        self._connection: Connection | None = None
        self._correlation = 0

    # -- names

    def topic(self, name: str = "t") -> str:
        """The full name of a topic of this case; answers show it as ``name`` again."""
        return self._names + name

    def clean(self, text: str | None) -> str:
        """A text without what differs between two runs; that there is none is told as "none"."""
        if text is None:
            return "none"
        for name in (self._names, self._names.replace(".", "_")):
            text = text.replace(name, "~")
        return RANDOM_ID.sub("#", text.replace(self.bootstrap, "B"))

    def id_of(self, name: str = "t") -> bytes:
        """The topic id of a topic that :meth:`create` made."""
        return next(key for key, value in self.ids.items() if value == self.topic(name))

    # -- asking

    def ask(
        self,
        message: Any,
        version: int | None = None,
        note: str = "",
        *,
        client_id: str | None = CLIENT,
        seconds: float = SECONDS,
        own_only: bool = False,
        tail: bytes = b"",
    ) -> Any:
        """Send a request and note the answer, which is also returned (None if there was none).

        ``tail`` are bytes behind the request; ``own_only`` leaves out topics of others.
        """
        version = self.case.version if version is None else version
        answer = self.send(message, version, client_id=client_id, seconds=seconds, tail=tail)
        data = answer if isinstance(answer, str) else self._plain.message(answer)
        if own_only:
            data = only_named(data, lambda name: name.startswith("~"))
        api = table_of(type(message)).api
        self.steps.append(Step(note or APIS[api].name, data))
        return None if isinstance(answer, str) else answer

    def send(
        self,
        message: Any,
        version: int,
        *,
        client_id: str | None = CLIENT,
        seconds: float = SECONDS,
        tail: bytes = b"",
    ) -> Any:
        """Send a request without noting anything; the answer, or CLOSED or SILENT."""
        self._correlation += 1
        frame = encode_request(trimmed(message, version), version, self._correlation, client_id)
        if tail:
            (size,) = struct.unpack_from(">i", frame)
            frame = struct.pack(">i", size + len(tail)) + frame[4:] + tail
        api = table_of(type(message)).api
        if api == ApiKey.PRODUCE and message.acks == 0:
            self._use().send(frame)
            return SILENT
        raw = self._exchange(frame, seconds)
        if isinstance(raw, str):
            return raw
        correlation, answer = decode_response(APIS[api].response, version, raw)
        assert correlation == self._correlation, "the answer to another request"
        return answer

    def send_raw(self, frame: bytes, note: str, *, seconds: float = SECONDS) -> bytes | None:
        """Send a frame (its length is added) and note whether and with how many bytes answered."""
        raw = self._exchange(struct.pack(">i", len(frame)) + frame, seconds)
        self.steps.append(Step(note, raw if isinstance(raw, str) else raw.hex()))
        return None if isinstance(raw, str) else raw

    def still_there(self, note: str) -> None:
        """Note whether the connection still answers."""
        answer = self.send(ApiVersionsRequest(), 0)
        self.steps.append(Step(note, answer if isinstance(answer, str) else ANSWERED))

    def note(self, note: str, data: Any) -> None:
        """Note what is no answer by itself."""
        self.steps.append(Step(note, data))

    def _use(self) -> Connection:
        if self._connection is None:
            self._connection = self._connect()
        return self._connection

    def _connect(self) -> Connection:
        return Connection(self.bootstrap)

    def _exchange(self, frame: bytes, seconds: float) -> bytes | str:
        connection = self._use()
        connection.socket.settimeout(seconds if self._mute else max(seconds, SECONDS))
        try:
            connection.send(frame)
            correlation, body = connection.read()
        except ConnectionError:
            self.close()
            return CLOSED
        except TimeoutError:
            self.close()
            return SILENT
        return struct.pack(">i", correlation) + body

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    # -- what most cases need

    def create(self, name: str = "t", partitions: int = 1, **config: object) -> str:
        """Create a topic, all partitions on broker 0; its full name. ``_`` in settings is ``.``

        Nothing is deleted for its age: the records of cases are of 2023.
        """
        settings = {key.replace("_", "."): str(value) for key, value in config.items()}
        settings.setdefault("retention.ms", "-1")
        topic = CreatableTopic(
            name=self.topic(name),
            num_partitions=-1,
            replication_factor=-1,
            assignments=[
                CreatableReplicaAssignment(partition_index=i, broker_ids=[0])
                for i in range(partitions)
            ],
            configs=[CreatableTopicConfig(name=k, value=v) for k, v in settings.items()],
        )
        answer = self.send(CreateTopicsRequest(topics=[topic], timeout_ms=60_000), 7)
        (result,) = answer.topics
        assert result.error_code == 0, result
        self.ids[bytes(result.topic_id)] = result.name
        return self.topic(name)

    def stored(self, name: str = "t", partitions: int = 1, *, note: str = "stored") -> Any:
        """Note all that the partitions hold, byte for byte."""
        wanted = [
            FetchPartition(partition=i, fetch_offset=0, partition_max_bytes=1 << 26)
            for i in range(partitions)
        ]
        topics = [FetchTopic(topic=self.topic(name), partitions=wanted)]
        request = FetchRequest(max_wait_ms=0, max_bytes=1 << 26, topics=topics)
        return self.ask(request, 11, note)


class Outcome(NamedTuple):
    """What a case found: the differences, and how many answers were compared."""

    found: list[Difference]
    compared: int


def compare(case: Case, prefix: str, ours: str, theirs: str, kind: type[Side] = Side) -> Outcome:
    """Run a case against both brokers (addresses) at the same time."""
    sides = [kind(ours, prefix, case), kind(theirs, prefix, case, mute=True)]
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(case.run, side, case.version) for side in sides]
    for side in sides:
        side.close()
    for run in runs:
        run.result()
    left, right = (side.steps for side in sides)
    found = [d for d in _all_differences(left, right) if not _masked(case.masks, d)]
    return Outcome(found, min(len(left), len(right)))


def _all_differences(ours: list[Step], theirs: list[Step]) -> Iterator[Difference]:
    for mine, other in zip(ours, theirs, strict=False):
        if mine.note != other.note:
            yield Difference("course", "note", mine.note, other.note)
            return
        yield from differences(mine.note, mine.data, other.data)
    if len(ours) != len(theirs):
        yield Difference("course", "steps", len(ours), len(theirs))


def _masked(masks: tuple[str, ...], difference: Difference) -> bool:
    return any(matches(mask, difference) for mask in masks)


def matches(pattern: str, difference: Difference) -> bool:
    """Whether a glob fits ``note/path``."""
    return fnmatchcase(f"{difference.note}/{difference.path}", pattern)
