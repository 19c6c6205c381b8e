"""How Kafka's tools word what went wrong (flag tongue)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from pykafka_ops.commands.framework.files import without_java
from pykafka_ops.errors import ConnectError, KafkaError, PkoError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pykafka_ops.commands.framework.output import ItemError
    from pykafka_ops.commands.framework.run import Run
    from pykafka_ops.wire.codes import ErrorCode

V = TypeVar("V")


def in_one_line(error: PkoError, *, timeout: str = "--timeout 30s") -> str:
    """An error in our tongue: of a call that ran out of time the trouble that it met.

    ``timeout``: what lets a silent broker have more time.
    """
    cause = _cause(error)
    text = cause.ours or without_java(str(cause))
    if isinstance(cause, ConnectError):
        from pykafka_ops.client.connection import SilentError

        text += f" ({timeout} waits longer)" if isinstance(cause, SilentError) else ""
    if isinstance(cause, KafkaError):
        text = f"{text_of(cause)} [{_code(cause).name}]"
    return " ".join(text.split()) or type(error).__name__


def _cause(error: PkoError) -> PkoError:
    """Of a call that ran out of time what it met, else the error itself."""
    return getattr(error, "trouble", None) or error


def item_error(item: str, error: PkoError) -> ItemError:
    """One item that failed: Kafka's error, also where it was met until time ran out; UNREACHABLE
    where the broker is; else ours."""
    from pykafka_ops.commands.framework.output import UNREACHABLE, ItemError

    cause = _cause(error)
    if isinstance(cause, KafkaError):
        return ItemError.of(item, cause)
    name = UNREACHABLE if isinstance(cause, ConnectError) else type(cause).__name__
    return ItemError(item, name, in_one_line(error))


def parted(answers: Mapping[int, V | PkoError], what: str) -> tuple[dict[int, V], list[ItemError]]:
    """The answers of brokers, and an error for each that has none: ``what`` and its id."""
    errors = [item_error(f"{what} {b}", a) for b, a in answers.items() if isinstance(a, PkoError)]
    return {b: a for b, a in answers.items() if not isinstance(a, PkoError)}, errors


def raise_first(errors: Iterable[PkoError | None]) -> None:
    """Raise the first of them that is one."""
    for error in errors:
        if error is not None:
            raise error


def exit_code(error: PkoError) -> int:
    """What the process ends with in our tongue: 3 also where the brokers do not allow it."""
    error = _cause(error)
    if isinstance(error, KafkaError):
        name = _code(error).name
        return 3 if name.endswith(("AUTHORIZATION_FAILED", "AUTHENTICATION_FAILED")) else 1
    return error.exit_code


def _code(error: KafkaError) -> ErrorCode:
    from pykafka_ops.wire.codes import ErrorCode

    return ErrorCode.of(error.code)


def is_usage(error: PkoError, run: Run) -> bool:
    """Whether Kafka's tool fails before its work begins: options, files, client settings."""
    return isinstance(error, UsageError) and (not run.started or of_client(error))


def of_client(error: PkoError) -> bool:
    """Whether the client's settings, or a file that has them, are wrong."""
    from pykafka_ops.commands.framework.profile import UnreadableFileError

    return isinstance(error, UnreadableFileError) or _client_settings(error)


def text_of(error: PkoError) -> str:
    """The message as Kafka's tools print it: of a code without text, the code's own."""
    if isinstance(error, KafkaError):
        return error.message or _code(error).text
    if isinstance(error, UsageError) and _client_settings(error):
        return f"Failed to create new KafkaAdminClient\n{error}"
    return str(error)


def _client_settings(error: PkoError) -> bool:
    from pykafka_ops.client.config import ClientConfigError

    return isinstance(error, ClientConfigError)


def execution_text(error: PkoError) -> str:
    """What ``ExecutionException.getMessage`` gives where a call failed, else the message."""
    of_call = isinstance(error, KafkaError) or hasattr(error, "trouble")
    return java_text(error) if of_call and not isinstance(error, UsageError) else text_of(error)


def java_text(error: PkoError) -> str:
    """With the Java exception's name before it."""
    if isinstance(error, KafkaError):
        name = _code(error).exception_name
        return f"org.apache.kafka.common.errors.{name}: {text_of(error)}"
    return f"org.apache.kafka.common.errors.TimeoutException: {error}"
