"""Errors and warnings of produce and consume: in Kafka's form as Java words and logs them."""

from __future__ import annotations

import time
from collections.abc import Callable

from pykafka_ops.client.config import ClientConfigError
from pykafka_ops.client.rights import lacking
from pykafka_ops.commands.framework.failures import java_text, security_class
from pykafka_ops.commands.framework.output import say
from pykafka_ops.errors import ConnectError, KafkaError, PkoError
from pykafka_ops.wire.codes import ErrorCode

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


class RefusedError(KafkaError):
    """We may not do this: exit code 3, as for everything that does not let us in."""

    exit_code = 3


class OtherError(PkoError):
    """What librdkafka itself says went wrong; Java's clients would raise a KafkaException."""


def kafka_error(
    code: int, text: str, topic: str = "", *, operation: str = "", group: str = ""
) -> PkoError:
    """The error of a broker's (positive) or librdkafka's (negative) code; ``operation``: what was
    done to the topic, or as a member of the group."""
    if code <= 0:
        return OtherError(text)
    if code == ErrorCode.INVALID_TOPIC_EXCEPTION:
        return KafkaError(code, f"Invalid topics: [{topic}]")
    if code not in REFUSALS:
        return KafkaError(code, text)
    kind, name = "", ""
    if code == ErrorCode.TOPIC_AUTHORIZATION_FAILED and topic:
        kind, name, text = "topic", topic, f"Not authorized to access topics: [{topic}]"
    elif code == ErrorCode.GROUP_AUTHORIZATION_FAILED and group:
        kind, name, text = "group", group, f"Not authorized to access group: {group}"
    error = RefusedError(code, text)
    if kind and operation:
        error.ours, error.about = lacking(operation, kind), name
    return error


def java_line(error: PkoError) -> str:
    """The error as Java prints an exception: class and message."""
    if isinstance(error, OtherError):
        return f"org.apache.kafka.common.KafkaException: {error}"
    return java_text(error)


def keeps_trying(error: PkoError) -> bool:
    """Whether Kafka's clients go on trying after this, with a line in their log."""
    from pykafka_ops.client.connection import WrongProtocolError

    lasting = security_class(error) or isinstance(error, WrongProtocolError)
    return isinstance(error, ConnectError) and not lasting


def log(level: str, text: str, source: str) -> None:
    """One line on stderr as log4j writes it in Kafka's tools."""
    now = time.time()
    stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(now))
    say(f"[{stamp},{int(now * 1000) % 1000:03d}] {level} {text} ({source})")


def ignored(kind: str, *, flags: bool) -> Callable[[str], None]:
    """A function that warns of a property that the ``Producer`` or ``Consumer`` does not know."""

    def warn(name: str) -> None:
        text = f"The configuration '{name}' is not known here and was ignored"
        if flags:
            log("WARN", text, f"org.apache.kafka.clients.{kind.lower()}.{kind}Config")
        else:
            say(f"pko: {text}")

    return warn


def config_exception(error: ClientConfigError, kind: str) -> list[str]:
    """The lines of Java's exception: a bad value by itself, all else wrapped once."""
    own = f"org.apache.kafka.common.config.ConfigException: {error}"
    if str(error).startswith("Invalid value"):
        return [own]
    wrapper = f"org.apache.kafka.common.KafkaException: Failed to construct kafka {kind.lower()}"
    return [wrapper, f"Caused by: {own}"]
