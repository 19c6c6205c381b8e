"""What produce and consume share: Kafka's log lines, ending well, and asking about topics first."""

from __future__ import annotations

import signal
import sys
import time

from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig, ClientConfigError
from pykafka_ops.commands.framework.failures import java_text
from pykafka_ops.commands.framework.output import say
from pykafka_ops.commands.framework.run import PATIENCE
from pykafka_ops.errors import ConnectError, KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import FrameType
    from typing import Any, NoReturn

REFUSALS = frozenset(
    (
        ErrorCode.TOPIC_AUTHORIZATION_FAILED,
        ErrorCode.GROUP_AUTHORIZATION_FAILED,
        ErrorCode.CLUSTER_AUTHORIZATION_FAILED,
        ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    )
)
SOON = frozenset((ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.LEADER_NOT_AVAILABLE))
"""A topic that is not there (yet)."""
TERMINATED = 143
HOLD_SECONDS = 0.2


class RefusedError(KafkaError):
    """We may not do this: exit code 3, as for everything that does not let us in."""

    exit_code = 3


class OtherError(PkoError):
    """What librdkafka itself says went wrong; Java's clients would raise a KafkaException."""


def kafka_error(code: int, text: str, topic: str = "") -> PkoError:
    """The error of a broker's (positive) or librdkafka's (negative) code."""
    if code <= 0:
        return OtherError(text)
    if code == ErrorCode.INVALID_TOPIC_EXCEPTION:
        return KafkaError(code, f"Invalid topics: [{topic}]")
    if code == ErrorCode.TOPIC_AUTHORIZATION_FAILED and topic:
        return RefusedError(code, f"Not authorized to access topics: [{topic}]")
    return (RefusedError if code in REFUSALS else KafkaError)(code, text)


def java_line(error: PkoError) -> str:
    """The error as Java prints an exception: class and message."""
    if isinstance(error, OtherError):
        return f"org.apache.kafka.common.KafkaException: {error}"
    if _is_authentication(error):
        return f"org.apache.kafka.common.errors.SaslAuthenticationException: {error}"
    return java_text(error)


def _is_authentication(error: PkoError) -> bool:
    from pykafka_ops.client.sasl import AuthenticationError

    return isinstance(error, AuthenticationError)


def keeps_trying(error: PkoError) -> bool:
    """Whether Kafka's clients go on trying after this, with a line in their log."""
    return isinstance(error, ConnectError) and not _is_authentication(error)


def log(level: str, text: str, source: str) -> None:
    """One line on stderr as log4j writes it in Kafka's tools."""
    now = time.time()
    stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(now))
    say(f"[{stamp},{int(now * 1000) % 1000:03d}] {level} {text} ({source})")


def ignored(kind: str, *, flags: bool) -> Callable[[str], None]:
    """Tells of a property that the ``Producer`` or ``Consumer`` does not know."""

    def tell(name: str) -> None:
        text = f"The configuration '{name}' is not known here and was ignored"
        if flags:
            log("WARN", text, f"org.apache.kafka.clients.{kind.lower()}.{kind}Config")
        else:
            say(f"pko: {text}")

    return tell


def config_exception(error: ClientConfigError, kind: str) -> list[str]:
    """The lines of Java's exception: a bad value by itself, all else wrapped once."""
    own = f"org.apache.kafka.common.config.ConfigException: {error}"
    if str(error).startswith("Invalid value"):
        return [own]
    wrapper = f"org.apache.kafka.common.KafkaException: Failed to construct kafka {kind.lower()}"
    return [wrapper, f"Caused by: {own}"]


class ending_well:  # noqa: N801 - reads as a statement
    """Within it SIGTERM ends the program as Ctrl-C does, so that ``finally`` is reached.

    Between ``hold`` and ``release`` both wait, so that what belongs together is done together; but
    no longer than HOLD_SECONDS, since whoever reads our output may have stopped to.
    """

    def __enter__(self) -> ending_well:
        self.holding, self.pending = False, 0
        self.before: dict[int, Any] = {}
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM):
            if signal.getsignal(number) is not signal.SIG_IGN:
                try:
                    self.before[number] = signal.signal(number, self._signalled)
                except ValueError:  # not the main thread: whoever embeds us has the signals
                    break
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)

    def hold(self) -> None:
        """Let signals wait."""
        self.holding = True

    def release(self) -> None:
        """Heed signals, also one that came since ``hold``."""
        self.holding = False
        if self.pending:
            self._end(self.pending)

    def _signalled(self, number: int, frame: FrameType | None) -> None:
        if number == signal.SIGALRM:
            if self.pending:
                self._end(self.pending)
        elif self.holding and not self.pending:
            self.pending = number
            signal.setitimer(signal.ITIMER_REAL, HOLD_SECONDS)
        else:
            self._end(number)

    def _end(self, number: int) -> NoReturn:
        self.holding, self.pending = False, 0
        signal.setitimer(signal.ITIMER_REAL, 0)
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        sys.exit(TERMINATED)


class Found:
    """A topic as the cluster tells it: its error code (0: none) and partitions."""

    __slots__ = ("error", "internal", "partitions")

    def __init__(self, error: int, partitions: list[int], *, internal: bool = False) -> None:
        self.error, self.partitions, self.internal = error, partitions, internal


class Lookup:
    """Asks for topics over a connection of its own, beside librdkafka's.

    Our client says at once, and in words, what is wrong with a cluster or topic; librdkafka keeps
    trying.
    """

    def __init__(self, properties: Mapping[str, str], *, flags: bool, debug: bool) -> None:
        self.config = ClientConfig.of(properties)
        self.patience = self.config.api_timeout
        if not flags and "default.api.timeout.ms" not in properties:
            self.patience = min(PATIENCE, self.patience)
        trace = (lambda line: say(f"trace: {line}")) if debug else None
        self.cluster = Cluster(self.config, trace=trace)

    def close(self) -> None:
        """Hang up."""
        self.cluster.close()

    def topics(
        self, names: Sequence[str] | None, *, seconds: float | None = None, create: bool = False
    ) -> dict[str, Found]:
        """The topics named (None: all). ConnectError within ``seconds`` of trying.

        ``create`` lets brokers make a missing topic, where their settings allow that.
        """
        self.config.api_timeout = self.patience if seconds is None else seconds
        self.config.patience = min(self.patience, self.config.api_timeout)
        wanted = None if names is None else [MetadataRequestTopic(name=n) for n in names]
        request = MetadataRequest(topics=wanted, allow_auto_topic_creation=create)
        answer = self.cluster.call(request, MetadataResponse, name="metadata")
        return {
            topic.name or "": Found(
                topic.error_code,
                [p.partition_index for p in topic.partitions],
                internal=topic.is_internal,
            )
            for topic in answer.topics
        }

    def tries(self, name: str, *, seconds: float, create: bool) -> Iterator[Found]:
        """Ask for one topic until ``seconds`` have passed, the last answer included."""
        deadline, pause = time.monotonic() + seconds, 0.02
        while True:
            left = max(0.001, deadline - time.monotonic())
            yield self.topics([name], seconds=left, create=create)[name]
            if time.monotonic() + pause > deadline:
                return
            time.sleep(pause)
            pause = min(pause * 2, 0.5)
