"""How Kafka's tools word errors, for Kafka's form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from pykafka_ops.client.failure_text import cause_of, code_of, is_client_setting
from pykafka_ops.client.failure_text import in_one_line as in_one_line
from pykafka_ops.client.failure_text import text_of as text_of
from pykafka_ops.errors import ConnectError, KafkaError, PkoError, TlsError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pykafka_ops.commands.framework.output import ItemError
    from pykafka_ops.commands.framework.run import Run

V = TypeVar("V")


def item_error(item: str, error: PkoError) -> ItemError:
    """One item that failed: Kafka's error, also where it was met until time ran out; UNREACHABLE
    where the broker is; else ours."""
    from pykafka_ops.commands.framework.output import UNREACHABLE, ItemError

    cause = cause_of(error)
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
    """What the process ends with in pko's form: 3 also where the brokers do not allow it."""
    error = cause_of(error)
    if isinstance(error, KafkaError):
        name = code_of(error).name
        return 3 if name.endswith(("AUTHORIZATION_FAILED", "AUTHENTICATION_FAILED")) else 1
    return error.exit_code


def is_usage(error: PkoError, run: Run) -> bool:
    """Whether Kafka's tool fails before its work begins: options, files, client settings."""
    return isinstance(error, UsageError) and (not run.started or of_client(error))


def of_client(error: PkoError) -> bool:
    """Whether the client's settings, or a file that has them, are wrong."""
    from pykafka_ops.commands.framework.profile import UnreadableFileError

    return isinstance(error, UnreadableFileError) or is_client_setting(error)


def execution_text(error: PkoError) -> str:
    """What ``ExecutionException.getMessage`` gives where a call failed, else the message."""
    of_call = isinstance(error, KafkaError) or hasattr(error, "trouble") or security_class(error)
    return java_text(error) if of_call and not isinstance(error, UsageError) else text_of(error)


def java_text(error: PkoError) -> str:
    """With the Java exception's name before it."""
    if isinstance(error, KafkaError):
        name = code_of(error).exception_name
        return f"org.apache.kafka.common.errors.{name}: {text_of(error)}"
    return f"org.apache.kafka.common.errors.{security_class(error) or 'TimeoutException'}: {error}"


def security_class(error: PkoError) -> str:
    """The Java exception of TLS or of a login that failed, "" for other errors."""
    if isinstance(error, TlsError):
        return "SslAuthenticationException"
    if not isinstance(error, ConnectError):
        return ""
    from pykafka_ops.security.sasl import AuthenticationError

    return "SaslAuthenticationException" if isinstance(error, AuthenticationError) else ""
