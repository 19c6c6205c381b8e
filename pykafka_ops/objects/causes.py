"""What object stores refuse, in words: of the libraries' texts one line, without what they were
asked with. Pure."""

from __future__ import annotations

import re
from typing import Final

from pykafka_ops.errors import StorageError
from pykafka_ops.objects import uris

_AZURE: Final = (
    "AZURE_CLIENT_ID, AZURE_TENANT_ID and AZURE_CLIENT_SECRET, or the machine's identity"
)
_KEYS: Final = {
    "s3": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or the machine's role",
    "gs": "GOOGLE_APPLICATION_CREDENTIALS",
    "abfs": _AZURE,
    "abfss": _AZURE,
}
"""Where credentials come from."""
_CAUSES: Final = (
    (re.compile(r"NO_SUCH_BUCKET|NoSuchBucket|bucket does not exist|ContainerNotFound", re.I),
     "there is no such bucket or container"),
    (re.compile(r"INVALID_ACCESS_KEY_ID|InvalidAccessKeyId|SIGNATURE|SignatureDoesNotMatch"
                r"|ExpiredToken|INVALID_CLIENT_TOKEN|AuthenticationFailed|UNAUTHENTICATED"
                r"|NoAuthWithAWSException|no credentials|Unable to load credentials", re.I),
     "the store does not take the credentials{keys}"),
    (re.compile(r"ACCESS_DENIED|AccessDenied|Forbidden|PERMISSION_DENIED"
                r"|AuthorizationPermissionMismatch|status code:? 403|HTTP status 403", re.I),
     "the store does not allow it with these credentials{keys}"),
    (re.compile(r"NETWORK_CONNECTION|curlCode|Could ?n[o']t connect|Connection refused"
                r"|resolve host|UnknownHost|Unable to execute HTTP request|ConnectException"
                r"|ConnectTimeout|timed out|timeout was reached|Connection reset", re.I),
     "the store does not answer, or no longer does"),
    (re.compile(r"libhdfs|libjvm", re.I),
     "it needs Hadoop's libhdfs here (ARROW_LIBHDFS_DIR, CLASSPATH): --engine spark does without"),
)  # fmt: skip
_NOISE: Final = re.compile(r"\s*\((?:Service: [^)]*|Request ID: [^)]*)\)|\. Detail: .*$")


def store_error(label: str, error: object) -> StorageError:
    """What a store said about ``label``, a URI that may be shown."""
    return StorageError(f"{label}: {cause(label, error)}")


def cause(label: str, error: object) -> str:
    """What is wrong, as far as it is known; else the first line of what was said."""
    said = str(error)
    keys = _KEYS.get(uris.scheme_of(uris.in_arrow(label)))
    for pattern, text in _CAUSES:
        if pattern.search(said):
            return text.format(keys=f" ({keys})" if keys else "")
    return _NOISE.sub("", one_line(error))[:300]


def one_line(error: object) -> str:
    """The first line of what an error says."""
    return (str(error) or type(error).__name__).splitlines()[0]
