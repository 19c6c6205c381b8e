"""How the values of settings are written: in tables of mirror.toml, and as texts of properties.

A reader takes what the file has and gives the value; TypeError says what is expected instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from pykafka_ops.analysis.amounts import SIZES, size_of
from pykafka_ops.analysis.moments import SPANS, span
from pykafka_ops.errors import SettingError, UsageError
from pykafka_ops.mirror.settings import model
from pykafka_ops.security.java_patterns import compiled

Reader = Callable[[Any], Any]


def text(value: object) -> str:
    """A text that is not empty."""
    if not isinstance(value, str) or not value:
        raise TypeError("a text")
    return value


def flag(value: object) -> bool:
    """true or false."""
    if not isinstance(value, bool):
        raise TypeError("true or false")
    return value


def number(value: object) -> int:
    """A whole number, 0 or more."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
        raise TypeError("a whole number, 0 or more")
    return value


def span_ms(value: object) -> int:
    """``"10s"`` in ms."""
    try:
        return span(text(value))
    except (UsageError, TypeError):
        raise TypeError(f"a length of time ({SPANS})") from None


def size(value: object) -> int:
    """``"10MB"`` or a number of bytes; 0 too."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63:
        return value
    try:
        return size_of(text(value))
    except (UsageError, TypeError):
        raise TypeError(f"a size ({SIZES})") from None


def patterns(value: object) -> tuple[str, ...]:
    """One regular expression or a list of them, each as Java or Python writes it."""
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise TypeError("a list of regular expressions")
    for one in found:
        try:
            compiled(one, "")
        except SettingError as error:
            raise TypeError(f"a regular expression ({str(error).removeprefix(': ')})") from None
    return tuple(found)


def one_of(*choices: str) -> Reader:
    """One of some words."""

    def read(value: object) -> str:
        if value not in choices:
            raise TypeError(f"one of {', '.join(choices)}")
        return str(value)

    return read


class Key(NamedTuple):
    """A key of a link's table: the field of LinkSettings, how it is read."""

    field: str
    read: Reader


LINK_KEYS: Final = {
    "naming": Key("naming", one_of(*model.NAMINGS)),
    "separator": Key("separator", text),
    "topics": Key("topics", patterns),
    "exclude-topics": Key("exclude_topics", patterns),
    "groups": Key("groups", patterns),
    "exclude-groups": Key("exclude_groups", patterns),
    "exclude-configs": Key("exclude_configs", patterns),
    "start": Key("start", one_of(*model.STARTS)),
    "adopt": Key("adopt", patterns),
    "exactly-once": Key("exactly_once", flag),
    "isolation": Key("isolation", one_of(*model.ISOLATIONS)),
    "round": Key("round_ms", span_ms),
    "round-bytes": Key("round_bytes", size),
    "bytes-per-second": Key("bytes_per_second", size),
    "records-per-second": Key("records_per_second", number),
    "too-large": Key("too_large", one_of(*model.TOO_LARGE)),
    "replication-factor": Key("replication_factor", number),
    "sync-topics": Key("sync_topics", flag),
    "sync-configs": Key("sync_configs", flag),
    "sync-acls": Key("sync_acls", flag),
    "sync-quotas": Key("sync_quotas", flag),
    "sync-users": Key("sync_users", flag),
    "sync-groups": Key("sync_groups", flag),
    "deletes": Key("deletes", one_of(*model.DELETES)),
    "defaults-from": Key("defaults_from", one_of(*model.DEFAULTS_FROM)),
    "topics-every": Key("topics_every_ms", span_ms),
    "configs-every": Key("configs_every_ms", span_ms),
    "groups-every": Key("groups_every_ms", span_ms),
    "mm2": Key("mm2", flag),
    "offset-syncs": Key("offset_syncs", one_of(*model.OFFSET_SYNCS)),
    "heartbeats-every": Key("heartbeats_every_ms", span_ms),
    "checkpoints-every": Key("checkpoints_every_ms", span_ms),
}
"""Keys of ``[[link]]`` beside ``from``, ``to`` and ``both-ways``."""
