"""URIs of files and object stores: what they are called where, what of them may be shown. Pure."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import parse_qsl, quote, urlencode

_URI: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?")
_IN_ARROW: Final = {"s3a": "s3", "s3n": "s3", "gcs": "gs"}
"""Schemes that Hadoop and people write, and what ``pyarrow.fs`` calls that."""
ARROW: Final = frozenset({"file", "s3", "gs", "abfs", "abfss"})
"""What ``pyarrow.fs`` opens by itself; ``hdfs`` needs a library of Hadoop's beside it."""
OBJECTS: Final = frozenset({"s3", "s3a", "s3n", "gs", "gcs", "abfs", "abfss"})
"""Stores where a file appears once it is written as a whole, and renaming it would copy it."""
NEVER: Final = frozenset({"http", "https", "ftp", "sftp"})
"""Schemes that nothing can be written to."""
_SECRET: Final = re.compile(r"secret|password|token|sig|key|credential", re.IGNORECASE)


def is_uri(place: str) -> bool:
    """Whether a place is not simply a path here."""
    return _URI.match(place) is not None


def scheme_of(place: str) -> str:
    """The scheme of a URI in lower case; "" of a path."""
    found = _URI.match(place)
    return found[1].lower() if found else ""


def is_remote(place: str) -> bool:
    """Whether it is a URI that leads elsewhere than to this machine's files."""
    return scheme_of(place) not in ("", "file")


def in_arrow(place: str) -> str:
    """The URI as ``pyarrow.fs`` has it: s3:// for s3a://."""
    scheme, sep, rest = place.partition("://")
    return f"{_IN_ARROW.get(scheme.lower(), scheme.lower())}{sep}{rest}"


def opens_in_arrow(place: str) -> bool:
    """Whether ``pyarrow.fs`` opens it without anything beside it."""
    return scheme_of(in_arrow(place)) in ARROW


def has_settings(place: str) -> bool:
    """Whether a URI says how to get in: by a key, or behind its ``?``. Hadoop would take what is
    behind it for the name of a file."""
    found = _URI.match(place)
    return found is not None and (bool(found[4]) or shown(place) != place)


def local_path(place: str) -> str:
    """The path of a ``file://`` URI."""
    rest = place[len("file://") :]
    return rest[rest.find("/") :] if "/" in rest else "/"


def joined(place: str, name: str) -> str:
    """The URI of ``name`` below ``place``, before whatever stands behind its ``?``."""
    found = _URI.match(place)
    if found is None:
        return f"{place.rstrip('/')}/{name}"
    scheme, host, path, query, _ = found.groups()
    return f"{scheme}://{host}{path.rstrip('/')}/{name}{query or ''}"


def split_file(place: str) -> tuple[str, str]:
    """(the URI of the directory, the name of the file in it); the name may be empty."""
    found = _URI.match(place)
    if found is None:
        return place, ""
    scheme, host, path, query, _ = found.groups()
    above, _, name = path.rpartition("/")
    return f"{scheme}://{host}{above}{query or ''}", name


def shown(place: str) -> str:
    """A place as messages and reports name it: without the keys that a URI may have in it."""
    found = _URI.match(place)
    if found is None:
        return place
    scheme, host, path, query, _ = found.groups()
    if "@" not in host and ":" in host and "@" in path:  # a key with a / that is not written %2F
        _, _, path = path.rpartition("@")
        host, slash, path = path.partition("/")
        host, path = f":@{host}", f"{slash}{path}"
    user, at, name = host.rpartition("@")
    if at and (":" in user or scheme.lower() not in ("abfs", "abfss")):
        host = f"***@{name}"  # of abfs://CONTAINER@ACCOUNT the container stands there
    return f"{scheme}://{host}{path}{_shown_query(query or '')}"


def _shown_query(query: str) -> str:
    if not _SECRET.search(query):
        return query
    pairs = parse_qsl(query[1:], keep_blank_values=True)
    kept = [(k, "***" if _SECRET.search(k) else v) for k, v in pairs]
    return f"?{urlencode(kept, quote_via=quote, safe='*:/')}"
