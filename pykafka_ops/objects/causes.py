"""What object stores refuse, in words: of the libraries' texts one line, without what they were
asked with. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from pykafka_ops.errors import StorageError, first_line
from pykafka_ops.objects import uris

_AZURE: Final = (
    "AZURE_STORAGE_KEY, AZURE_STORAGE_SAS_TOKEN, AZURE_CLIENT_ID with AZURE_TENANT_ID and "
    "AZURE_CLIENT_SECRET, or the machine's identity"
)
_KEYS: Final = {
    "s3": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or the machine's role",
    "gs": "GOOGLE_APPLICATION_CREDENTIALS",
    "abfs": _AZURE,
    "abfss": _AZURE,
}
"""Where credentials come from."""
_NO_TOKEN: Final = "no credentials are found, or nobody gives a token for them{keys}"
_DENIED: Final = "the store does not allow it with these credentials{keys}"
_SILENT: Final = "the store does not answer, or no longer does"
_CAUSES: Final = (
    (re.compile(r"OAuth2 access token|Failed to get token|Bearer token auth", re.I), _NO_TOKEN),
    (re.compile(r"NO_SUCH_BUCKET|NoSuchBucket|bucket does not exist|ContainerNotFound", re.I),
     "there is no such bucket or container"),
    (re.compile(r"INVALID_ACCESS_KEY_ID|InvalidAccessKeyId|SIGNATURE|SignatureDoesNotMatch"
                r"|ExpiredToken|INVALID_CLIENT_TOKEN|AuthenticationFailed|UNAUTHENTICATED"
                r"|NoAuthWithAWSException|no credentials|Unable to load credentials"
                r"|Base64 encoded", re.I),
     "the store does not take the credentials{keys}"),
    (re.compile(r"ACCESS_DENIED|AccessDenied|Forbidden|PERMISSION_DENIED|AuthorizationFailure"
                r"|AuthorizationPermissionMismatch|status code:? 403|HTTP status 403", re.I),
     _DENIED),
    (re.compile(r"NETWORK_CONNECTION|curlCode|Could ?n[o']t connect|Connection refused"
                r"|resolve host|UnknownHost|Unable to execute HTTP request|ConnectException"
                r"|ConnectTimeout|timed out|timeout was reached|Connection reset"
                r"|Timeout waiting for|Retry policy exhausted", re.I), _SILENT),
    (re.compile(r"Cannot parse URI"),
     "it is no URI: of a key in it, write / as %2F and + as %2B"),
    (re.compile(r"libhdfs|libjvm", re.I),
     "it needs Hadoop's libhdfs here (ARROW_LIBHDFS_DIR, CLASSPATH): --engine spark does without"),
)  # fmt: skip
_ABORTED: Final = re.compile(r"^\s*what\(\):\s+(.+)$", re.MULTILINE)
_NOISE: Final = re.compile(r"\s*\((?:Service: [^)]*|Request ID: [^)]*)\)|\. Detail: .*$")


def store_error(label: str, error: object) -> StorageError:
    """What a store said about ``label``, a URI that may be shown."""
    return StorageError(f"{label}: {cause(label, error)}")


def cause(label: str, error: object) -> str:
    """What is wrong, as far as it is known; else the first line of what was said."""
    keys = _KEYS.get(uris.scheme_of(uris.in_arrow(label)))
    if (text := _known(str(error))) is not None:
        return text.format(keys=f" ({keys})" if keys else "")
    return _NOISE.sub("", first_line(error))[:300]


def is_final(said: str) -> bool:
    """Whether to ask a store again is of no use: nobody answers, or nobody gives a token."""
    return _known(said) in (_SILENT, _NO_TOKEN)


def is_denial(said: str) -> bool:
    """Whether a store lets one in, but not do this."""
    return _known(said) == _DENIED


@contextmanager
def refusals(meaning: Callable[[Exception], Exception | None]) -> Iterator[None]:
    """Raise what an error of a store's client library, or of a local file, means; None: nothing
    is wrong. All other errors stay as they are."""
    try:
        yield
    except Exception as error:
        if not _is_of_store(error):
            raise
        if (meant := meaning(error)) is not None:
            raise meant from None


def _is_of_store(error: Exception) -> bool:
    return isinstance(error, OSError) or type(error).__module__.startswith("pyarrow")


def aborted_by(said: str) -> str:
    """The reason that a process names which a library of C++ ended."""
    found = _ABORTED.search(said)
    return found[1] if found else "the store's client library ended by itself"


def _known(said: str) -> str | None:
    return next((text for pattern, text in _CAUSES if pattern.search(said)), None)
