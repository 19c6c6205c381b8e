"""What went wrong, in one line for people."""

from __future__ import annotations

import re

from pykafka_ops.errors import ConnectError, KafkaError, PkoError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pykafka_ops.wire.codes import ErrorCode

_JAVA_CLASS = re.compile(r"^(?:[a-z]\w*\.)+[A-Z]\w*: ")


def without_java(text: str) -> str:
    """A text of Kafka's tools without the name of the exception before it."""
    return _JAVA_CLASS.sub("", text)


def in_one_line(error: PkoError, *, timeout: str = "--timeout 30s") -> str:
    """An error in pko's form: of a call that ran out of time the trouble that it met.

    ``timeout``: what lets a silent broker have more time.
    """
    cause = cause_of(error)
    text = cause.ours or without_java(str(cause))
    if isinstance(cause, ConnectError):
        from pykafka_ops.client.connection import SilentError

        text += f" ({timeout} waits longer)" if isinstance(cause, SilentError) else ""
    if isinstance(cause, KafkaError):
        about = f"{cause.about}: " if cause.about else ""
        text = f"{about}{cause.ours or text_of(cause)} [{code_of(cause).name}]"
    return " ".join(text.split()) or type(error).__name__


def cause_of(error: PkoError) -> PkoError:
    """Of a call that ran out of time what it met, else the error itself."""
    return getattr(error, "trouble", None) or error


def code_of(error: KafkaError) -> ErrorCode:
    """Its code, with name and text."""
    from pykafka_ops.wire.codes import ErrorCode

    return ErrorCode.of(error.code)


def text_of(error: PkoError) -> str:
    """The message as Kafka's tools print it: of a code without text, the code's own."""
    if isinstance(error, KafkaError):
        return error.message or code_of(error).text
    if isinstance(error, UsageError) and is_client_setting(error):
        return f"Failed to create new KafkaAdminClient\n{error}"
    return str(error)


def is_client_setting(error: PkoError) -> bool:
    """Whether a setting of the client is wrong."""
    from pykafka_ops.client.config import ClientConfigError

    return isinstance(error, ClientConfigError)
