"""What is asked of records of a topic, by whom, and why it is refused."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from pykafka_ops.errors import ConnectError, KafkaError, PkoError, StorageError
from pykafka_ops.monitor.cluster.view import ClusterView
from pykafka_ops.monitor.cluster.watcher import now_ms
from pykafka_ops.monitor.http.answers import refused
from pykafka_ops.monitor.http.app import service_of
from pykafka_ops.monitor.http.gate import may, person_of
from pykafka_ops.monitor.http.query import whole
from pykafka_ops.monitor.messages.query import SearchQuery, search_query
from pykafka_ops.monitor.messages.search import UnknownTopicError, error_text
from pykafka_ops.monitor.messages.service import BusyError, MessageService
from pykafka_ops.monitor.service import Service
from pykafka_ops.wire.codes import ErrorCode

T = TypeVar("T")
READ: Final = "messages"
"""What the audit log calls it."""
RANGE: Final = (
    "partition", "offset", "part", "last", "since", "until", "order", "limit", "cursor",
)  # fmt: skip
"""Words of a question that say which records; what they are searched for may be somebody's name."""
LONGEST_WORD: Final = 200
log = logging.getLogger(__name__)
LOOK_SECONDS = 0.2
"""How soon it is seen that the browser has gone."""
_DENIED = (
    ErrorCode.TOPIC_AUTHORIZATION_FAILED,
    ErrorCode.CLUSTER_AUTHORIZATION_FAILED,
)


@dataclass
class Refusal(Exception):  # noqa: N818 - an answer
    """Why there is no answer: status, code, one line."""

    status: int
    code: str
    message: str
    hint: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    def answer(self) -> Response:
        """In JSON."""
        made = refused(self.status, self.code, self.message, self.hint)
        made.headers.update(self.headers)
        return made


@dataclass(frozen=True, slots=True)
class AskedMessages:
    """A question that is allowed: of which topic, of which cluster."""

    service: Service
    messages: MessageService
    view: ClusterView
    cluster: str
    topic: str

    def query(self, request: Request) -> SearchQuery:
        """The search in the address. ValueError."""
        return search_query(request.query_params, now_ms())

    def record_query(self, request: Request) -> SearchQuery:
        """The formats in the address; whatever became of the record, it is shown. ValueError."""
        words = {n: v for n, v in request.query_params.items() if n.endswith("_format")}
        return replace(search_query(words, now_ms()), uncommitted=True, control=True)

    def place(self, request: Request) -> tuple[int, int]:
        """Partition and offset. ValueError."""
        words = request.path_params
        return whole(words, "partition", 0, 2**31 - 1), whole(words, "offset", 0, 10**17)


def asked_messages(request: Request) -> AskedMessages:
    """The question, if who asks has the right. Refusal."""
    service = service_of(request)
    cluster, topic = request.path_params["cluster"], request.path_params["topic"]
    view = service.view(cluster)
    if view is None:
        raise Refusal(404, "UNKNOWN_CLUSTER", f"no cluster {cluster}")
    if not may(request, "messages", cluster, topic):
        why = "no right messages"
        if service.desk is not None:
            service.desk.audit.refuse(_entry(request, cluster, topic, {}), why)
        raise Refusal(
            403, "FORBIDDEN",
            f"{person_of(request).name} has no right messages on {topic} in cluster {cluster}",
            "roles are in the monitor's configuration",
        )  # fmt: skip
    if service.messages is None:
        raise Refusal(503, "NO_MESSAGES", "this monitor shows no records")
    return AskedMessages(service, service.messages, view, cluster, topic)


def write_down(request: Request, asked: AskedMessages, kind: str) -> None:
    """Put into the audit log that records are read; Refusal where that cannot be written."""
    if asked.service.desk is None:
        return
    given = {**request.query_params, **request.path_params}
    params = {"read": kind, **{k: given[k][:LONGEST_WORD] for k in RANGE if given.get(k)}}
    params["masked"] = "yes" if asked.messages.mask(asked.topic).covers else "no"
    try:
        asked.service.desk.audit.read(_entry(request, asked.cluster, asked.topic, params))
    except StorageError as error:
        log.error("no records are shown without the audit log: %s", error)
        raise Refusal(503, "NO_AUDIT", f"no records are shown: {error}") from None


def _entry(request: Request, cluster: str, topic: str, params: dict[str, str]) -> dict[str, Any]:
    person = person_of(request)
    address = request.app.state.service.access.address(request)
    return {
        "who": person.name, "how": person.how, "address": address, "cluster": cluster,
        "action": READ, "resource": topic[:1000], "params": params,
    }  # fmt: skip


def refusal(error: Refusal | ValueError | PkoError) -> Refusal:
    """What an error means to who asked."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, ValueError):
        return Refusal(400, "INVALID_REQUEST", str(error))
    if isinstance(error, UnknownTopicError):
        return Refusal(404, "UNKNOWN_TOPIC", str(error))
    if isinstance(error, BusyError):
        return Refusal(429, "BUSY", str(error), headers={"Retry-After": "5"})
    text = error_text(error)
    if isinstance(error, KafkaError) and error.code in _DENIED:
        return Refusal(403, "NOT_ALLOWED", f"the brokers do not let the monitor read it: {text}")
    code = "NO_ANSWER" if isinstance(error, ConnectError) else "FAILED"
    return Refusal(503, code, text)


async def unless_gone(request: Request, work: Callable[[Callable[[], bool]], T]) -> T:
    """What ``work`` returns, from a thread; it hears when nobody waits for it any more."""
    gone = threading.Event()

    async def watch() -> None:
        while not await request.is_disconnected():
            await asyncio.sleep(LOOK_SECONDS)
        gone.set()

    watching = asyncio.create_task(watch())
    try:
        return await to_thread.run_sync(work, gone.is_set)
    finally:
        gone.set()
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching
