"""A cluster as its clients see it: its brokers, and requests to the right one.

``call`` asks one broker, ``call_each`` many at once, each on its own connection. Waiting and
retrying follow Kafka's admin client (KafkaAdminClient): default.api.timeout.ms for the whole call,
request.timeout.ms for each question, retry.backoff.ms between tries.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from pykafka_ops.client.answers import error_of, raise_error
from pykafka_ops.client.config import SILENCE_MS, Address, ClientConfig, NoBootstrapError
from pykafka_ops.client.connection import (
    BrokerConnection,
    DisconnectedError,
    NotReachableError,
    RequestTimeoutError,
    SilentError,
    Trace,
    UnresolvedError,
    UnsupportedVersionError,
)
from pykafka_ops.client.kept_answer import KeptAnswer
from pykafka_ops.client.poller import Steps, pause, run, run_all
from pykafka_ops.errors import ConnectError, PkoError, TlsError
from pykafka_ops.wire.messages import metadata as md

T = TypeVar("T")

ANY: Final = -1
"""Target: whichever broker answers first."""
CONTROLLER: Final = -2
"""Target: the controller."""
NOTICE_AFTER: Final = 1.0
LEAST_SILENCE: Final = 1.0
"""Seconds without a byte that a broker may have even where it is one of many to try."""
TRANSIENT: Final = (DisconnectedError, NotReachableError, RequestTimeoutError)
"""Errors that another try may cure."""
_OF_TIME: Final = (RequestTimeoutError, SilentError, UnresolvedError)


class Node(NamedTuple):
    """A broker as Metadata reports it."""

    id: int
    host: str
    port: int
    rack: str | None

    @property
    def address(self) -> Address:
        """Where it listens."""
        return Address(self.host, self.port)

    def __str__(self) -> str:
        return f"{self.host}:{self.port} (id: {self.id} rack: {self.rack or 'null'})"


class CallTimeoutError(ConnectError):
    """A call ran out of time, in Kafka's words; ``trouble`` is what went wrong last."""

    def __init__(self, message: str, trouble: PkoError | None = None) -> None:
        super().__init__(message)
        self.trouble = trouble


class Question(NamedTuple):
    """One request: whom to ask (node id, ANY, CONTROLLER), what, the answer's class, versions."""

    to: int
    request: Any
    answer: type[Any]
    lowest: int = 0
    highest: int = 0x7FFF


class Cluster:
    """Connections to one cluster, opened as needed; ``close`` when done.

    ``nodes``, ``controller`` (-1: none known) and ``cluster_id`` are as of the last metadata.
    ``coordinators`` are node ids by kind and key (``client.coordinators``), as last heard of.
    """

    def __init__(
        self, config: ClientConfig, *, trace: Trace | None = None, notice: Trace | None = None
    ) -> None:
        """``trace`` is called at each step, ``notice`` once when connecting takes over a second."""
        self.config, self.trace, self.notice = config, trace, notice
        self.nodes: dict[int, Node] = {}
        self.controller = -1
        self.cluster_id: str | None = None
        self.coordinators: dict[tuple[int, str], int] = {}
        self.asked: Counter[str] = Counter()
        """Requests that were sent, by API; without ApiVersions and logins."""
        self.kept: dict[type[Any], KeptAnswer] = {}
        """Long answers, by class, that are not decoded again where nothing changed."""
        self.announced: Mapping[int, tuple[int, int]] = {}
        """First and last version of each API that the broker has which answered last."""
        self._idle: dict[Address, list[BrokerConnection]] = {}

    def close(self) -> None:
        """Close every idle connection."""
        for connections in self._idle.values():
            for connection in connections:
                connection.close()
        self._idle.clear()

    # --- asking ----------------------------------------------------------------------------------

    def call(
        self,
        request: Any,
        answer: type[T],
        *,
        to: int = ANY,
        name: str = "call",
        lowest: int = 0,
        highest: int = 0x7FFF,
        again: Callable[[T], bool] | None = None,
    ) -> T:
        """Ask ``to`` and return the answer.

        ``name`` is what Kafka's admin client calls it (for its time-out texts). ``lowest`` and
        ``highest`` are the versions that can express the request. ``again`` says whether an answer
        calls for another try, since the wrong broker was asked or needs more time. Then the
        metadata is fetched and the request sent again until time is up; the last answer counts.
        CallTimeoutError, ConnectError, UnsupportedVersionError.
        """
        deadline = time.monotonic() + self.config.api_timeout
        question = Question(to, request, answer, lowest, highest)
        result: T = run(self._ask(question, name, deadline, again))
        return result

    def call_each(
        self, questions: Sequence[Question], *, name: str = "call", once: bool = False
    ) -> list[Any]:
        """Ask many brokers side by side; per question its answer or the PkoError that ended it.

        ``once``: do not try again what is in TRANSIENT.
        """
        deadline = time.monotonic() + self.config.api_timeout
        if any(q.to >= 0 and q.to not in self.nodes for q in questions):
            self.metadata([], name=name)
        if once:
            return run_all([self._try(q, name, deadline) for q in questions])
        return run_all([self._ask(q, name, deadline, None) for q in questions])

    def call_all(
        self, request: Any, answer: type[T], *, name: str, lowest: int = 0
    ) -> tuple[dict[int, T], dict[int, PkoError]]:
        """Ask every live broker: the answers by node id, and what went wrong with the others."""
        brokers = sorted(self.brokers(name))
        answers = self.call_each([Question(b, request, answer, lowest) for b in brokers], name=name)
        found, failed = {}, {}
        for broker, got in zip(brokers, answers, strict=True):
            error = got if isinstance(got, PkoError) else error_of(got)
            if error is None:
                found[broker] = got
            else:
                failed[broker] = error
        return found, failed

    def metadata(
        self,
        topics: Sequence[str] | None,
        *,
        ids: Sequence[bytes] = (),
        name: str = "metadata",
        again: Callable[[md.MetadataResponse], bool] | None = None,
    ) -> md.MetadataResponse:
        """Metadata of the topics (None: all; ``[]``: brokers only), by name and by topic id."""
        request = metadata_request(topics, ids)
        response = self.call(request, md.MetadataResponse, name=name, again=again)
        self._learn(response)
        return response

    def brokers(self, name: str = "describeCluster") -> dict[int, Node]:
        """The live brokers by id, asked for where not known yet."""
        if not self.nodes:
            self.metadata([], name=name)
        return self.nodes

    # --- how -------------------------------------------------------------------------------------

    def _ask(
        self,
        question: Question,
        name: str,
        deadline: float,
        again: Callable[[Any], bool] | None,
    ) -> Steps[Any]:
        tries, wait = 0, self.config.backoff
        last: PkoError | None = None
        while True:
            try:
                result = yield from self._try(question, name, deadline)
            except TRANSIENT as trouble:
                tries += 1
                last = _telling(last, trouble)
                self._give_up(last, tries, name, deadline)
                self._doubt(question.to)
            except CallTimeoutError as end:
                raise CallTimeoutError(str(end), _telling(last, end.trouble)) from None
            else:
                tries += 1
                late = tries > self.config.retries or time.monotonic() + wait > deadline
                if again is None or late or not again(result):
                    return result
                yield from self._refresh(name, deadline)
            yield from pause(min(wait, max(0.0, deadline - time.monotonic())))
            wait = min(wait * 2, self.config.backoff_max)

    def _doubt(self, to: int) -> None:
        """The target did not answer: another broker may have its role now, or it moved."""
        if to == CONTROLLER:
            self.controller = -1
        else:
            self.nodes.pop(to, None)

    def _try(self, question: Question, name: str, deadline: float) -> Steps[Any]:
        connection = yield from self._connection(question.to, name, deadline)
        return (yield from self._once(connection, question, deadline))

    def _give_up(self, trouble: PkoError, tries: int, name: str, deadline: float) -> None:
        """Raise where no further try is allowed."""
        if tries > self.config.retries:
            raise CallTimeoutError(f"Exceeded maxRetries after {tries} tries.", trouble)
        if time.monotonic() >= deadline - self.config.api_timeout + lasting(self.config, trouble):
            raise CallTimeoutError(
                f"Call(callName={name}) timed out after {tries} attempt(s)", trouble
            )

    def _once(
        self, connection: BrokerConnection, question: Question, deadline: float
    ) -> Steps[Any]:
        """One exchange; the connection goes back to the idle ones unless it broke."""
        _, request, answer, lowest, highest = question
        self.asked[type(request).__name__.removesuffix("Request")] += 1
        try:
            result = yield from connection.ask(
                request,
                answer,
                lowest=lowest,
                highest=highest,
                deadline=deadline,
                kept=self.kept.get(answer),
            )
        except UnsupportedVersionError:
            self._idle.setdefault(connection.address, []).append(connection)
            raise
        except DisconnectedError as error:
            connection.close()
            raise (yield from _explained(connection, error)) from None
        except BaseException:
            connection.close()
            raise
        self.announced = connection.versions
        self._idle.setdefault(connection.address, []).append(connection)
        return result

    def _connection(self, to: int, name: str, deadline: float) -> Steps[BrokerConnection]:
        """A connection to the target; the metadata is asked where the target is not known."""
        if to == ANY:
            return (yield from self._any(name, deadline))
        node_id = self.controller if to == CONTROLLER else to
        if node_id not in self.nodes:
            yield from self._refresh(name, deadline)
            node_id = self.controller if to == CONTROLLER else to
        node = self.nodes.get(node_id)
        if node is None:
            what = "no controller" if to == CONTROLLER else f"no broker {to}"
            missing = NotReachableError(f"the cluster has {what} now")
            if time.monotonic() >= deadline:
                raise CallTimeoutError(_unassigned(name), missing)
            raise missing
        return (yield from self._to(node.address, deadline))

    def _any(self, name: str, deadline: float) -> Steps[BrokerConnection]:
        """An idle connection, else the first broker that lets us in, tried until time is up, or one
        has been silent for as long as is borne."""
        for connections in self._idle.values():
            if connections:
                return connections.pop()
        started = time.monotonic()
        patience = min(deadline, started + self.config.patience)
        wait = self.config.backoff
        last: PkoError | None = None
        while True:
            known = [node.address for node in self.nodes.values()]
            candidates = list(dict.fromkeys([*self.config.bootstrap, *known]))
            silence = _shared(self.config.silence, len(candidates))
            left = max(self.config.silence, SILENCE_MS / 1000)
            troubles: list[PkoError] = []
            for address in candidates:
                if left <= 0:
                    break
                try:
                    return (yield from self._to(address, deadline, silence))
                except TRANSIENT as trouble:
                    last = _telling(last, trouble)
                    troubles.append(trouble)
                    left -= silence if isinstance(trouble, SilentError) else 0
            if all(isinstance(trouble, UnresolvedError) for trouble in troubles):
                raise NoBootstrapError(last)
            silent = next((t for t in troubles if isinstance(t, SilentError)), None)
            if silent is not None or time.monotonic() + wait > patience:
                why = silent if silent and isinstance(last, NotReachableError) else last
                raise CallTimeoutError(_unassigned(name), _of_all(why, len(troubles)))
            if self.notice and time.monotonic() - started > NOTICE_AFTER:
                self.notice(f"still trying: {last}")
                self.notice = None
            yield from pause(wait)
            wait = min(wait * 2, self.config.backoff_max)

    def _to(
        self, address: Address, deadline: float, silence: float | None = None
    ) -> Steps[BrokerConnection]:
        """An idle connection to ``address``, or a new one (``BrokerConnection.open``)."""
        idle = self._idle.get(address)
        if idle:
            return idle.pop()
        connection = BrokerConnection(address, self.config, self.trace)
        try:
            yield from connection.open(deadline, silence)
        except (DisconnectedError, TlsError) as error:
            raise (yield from _explained(connection, error)) from None
        return connection

    def _refresh(self, name: str, deadline: float) -> Steps[None]:
        """Fetch who the brokers and the controller are."""
        question = Question(ANY, metadata_request([], ()), md.MetadataResponse)
        connection = yield from self._any(name, deadline)
        self._learn((yield from self._once(connection, question, deadline)))

    def _learn(self, response: md.MetadataResponse) -> None:
        raise_error(response)
        self.nodes = {b.node_id: Node(b.node_id, b.host, b.port, b.rack) for b in response.brokers}
        self.controller = response.controller_id
        self.cluster_id = response.cluster_id


def _explained(
    connection: BrokerConnection, error: DisconnectedError | TlsError
) -> Steps[PkoError]:
    from pykafka_ops.client.spoken import explained  # few need it

    return (yield from explained(connection, error))


def lasting(config: ClientConfig, trouble: PkoError) -> float:
    """Seconds from its beginning on that a call is tried again after ``trouble``."""
    return config.patience if isinstance(trouble, SilentError) else config.api_timeout


def _telling(old: PkoError | None, new: PkoError | None) -> PkoError:
    """The more telling of two errors: a time-out never hides what went wrong before it."""
    if new is None or (old is not None and isinstance(new, _OF_TIME)):
        return old or CallTimeoutError("timed out")
    return new


def _shared(silence: float, parties: int) -> float:
    """What each of so many may have of the silence that is borne."""
    return min(silence, max(silence / parties, LEAST_SILENCE))


def _of_all(last: PkoError | None, tried: int) -> PkoError | None:
    """The error, worded for all brokers that were tried, so that it blames no single one."""
    if tried == 1 or not isinstance(last, NotReachableError):
        return last
    if isinstance(last, SilentError):
        return SilentError(f"none of {tried} brokers answers; one of them: {last}")
    return NotReachableError(f"none of {tried} brokers can be reached; the last one: {last}")


def _unassigned(name: str) -> str:
    return f"Timed out waiting for a node assignment. Call: {name}"


def metadata_request(topics: Sequence[str] | None, ids: Sequence[bytes]) -> md.MetadataRequest:
    """A Metadata request that never creates topics."""
    if topics is None and not ids:
        return md.MetadataRequest(topics=None, allow_auto_topic_creation=False)
    wanted = [md.MetadataRequestTopic(name=name) for name in topics or ()]
    wanted += [md.MetadataRequestTopic(name=None, topic_id=i) for i in ids]
    return md.MetadataRequest(topics=wanted, allow_auto_topic_creation=False)
