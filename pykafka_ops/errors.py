"""Every exception the package raises on purpose.

* PkoError                 anything that ends in one line for the user
  + UsageError             bad flags, files or values (exit code 2)
    + TlsSettingError      a key store or another setting of TLS cannot be used
  + ConnectError           nobody answers, TLS or authentication refused (exit code 3)
    + TlsError             the TLS handshake fails
  + LoginError             a client's login to our broker fails
  + CheckFailed            a check ran and found a problem (exit code 4)
  + KafkaError             a Kafka error code stands for the whole request or item
  + WireError              malformed bytes in flight
    + TooManyItemsError    a message whose arrays hold more items than are read
  + CorruptError           malformed bytes at rest
    + CorruptBatchError    a record batch fails its checks
    + CorruptIndexError    an index file fails its sanity check
  + DeserializeError       a key or value is not of its format
  + SettingError           a setting is unknown, malformed or out of range
  + StorageError           a log directory failed or is in use
"""

from __future__ import annotations


class PkoError(Exception):
    """Base of all: the text is one line that says what, which item, why and what to do.

    ``ours``: that line in pko's form, where the text is in the words of Kafka's tools. ``about``:
    what it is about, where ``ours`` does not say.
    """

    exit_code = 1
    ours = ""
    about = ""


class UsageError(PkoError):
    """The command line, or a file it names, is wrong."""

    exit_code = 2


class TlsSettingError(UsageError):
    """A key store, a trust store or another setting of TLS cannot be used."""


class ConnectError(PkoError):
    """No broker can be reached, or it does not let us in."""

    exit_code = 3


class TlsError(ConnectError):
    """The handshake failed: trust, name, protocol or client certificate."""


class TlsHungUpError(TlsError):
    """The other side hung up in the handshake."""


class LoginError(PkoError):
    """A client's login to our broker fails.

    The log has the text. The client gets ``answer``, if there is one: other reasons could show it
    which users there are. True answers with the text itself.
    """

    def __init__(self, message: str, *, answer: bool | str = False) -> None:
        super().__init__(message)
        self.answer = message if answer is True else answer or None


class CheckFailed(PkoError):  # noqa: N818 - the check failed, the program did not err
    """A check asked for by the user found a problem."""

    exit_code = 4


class KafkaError(PkoError):
    """A Kafka protocol error; ``code`` is a value of ``wire.codes.ErrorCode``.

    A long message is cut: it may repeat a name, and a response has no place for any length.
    """

    MOST_TEXT = 32_767 // 4
    """Characters; a string of a response has at most 32767 bytes."""

    def __init__(self, code: int, message: str = "") -> None:
        message = message[: self.MOST_TEXT]
        super().__init__(message)
        self.code = code
        self.message = message

    def bare(self) -> KafkaError:
        """Itself, to be kept: without what the frames it came through hold on to."""
        self.__traceback__ = self.__context__ = None
        return self


class WireError(PkoError):
    """A frame does not follow the protocol tables; the connection it came from is done."""


class FrameSizeError(WireError):
    """A frame is said to be shorter or longer than any that is taken."""


class TooManyItemsError(WireError):
    """The arrays of a message hold more items than its reader takes."""


class CorruptError(PkoError):
    """Bytes in a file are not what the format says."""


class CorruptBatchError(CorruptError):
    """A record batch or message set fails its checks."""


class CorruptIndexError(CorruptError):
    """An index, snapshot or checkpoint file fails its checks."""


class DeserializeError(PkoError):
    """A key or value does not fit its deserializer; the text is Kafka's where there is one."""


class SettingError(PkoError):
    """A setting is unknown, malformed or out of its range."""

    exit_code = 2


class StorageError(PkoError):
    """A log directory failed, is full, read-only, or held by another broker."""


def first_line(error: object) -> str:
    """The first line of what an error says that has something in it; else its class."""
    lines = (line.strip() for line in str(error).splitlines())
    return next((line for line in lines if line), type(error).__name__)


def internal(error: Exception) -> str:
    """The line for what was not raised on purpose."""
    return f"internal error, please report it with --debug's output: {error!r}"
