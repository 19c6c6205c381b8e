"""Controllers that vote, as a command line names them: ``id@host:port:directory,...`` (KIP-853).

Sources: ``DynamicVoter``, ``DynamicVoters``.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode
from typing import NoReturn

from pykafka_ops.disk.kraft.snapshot import Voter
from pykafka_ops.errors import SettingError

_NUMBER = re.compile(r"[+-]?[0-9]{1,10}")


def parse_voters(text: str) -> list[Voter]:
    """All of them by their ids; SettingError in Kafka's words."""
    found: dict[int, Voter] = {}
    for part in text.strip().split(","):
        if not part:
            continue
        voter = _parse(part.strip())
        if voter.id in found:
            raise SettingError(f"Node id {voter.id} was specified more than once.")
        found[voter.id] = voter
    if not found:
        raise SettingError("No voters given.")
    return [found[number] for number in sorted(found)]


def _no(text: str) -> NoReturn:
    raise SettingError(text)


def _parse(text: str) -> Voter:
    number, at, rest = text.partition("@")
    if not at:
        _no("No @ found in dynamic voter string.")
    if not number:
        _no("Invalid @ at beginning of dynamic voter string.")
    node = _int(number)
    if node is None:
        _no("Failed to parse node id in dynamic voter string.")
    if node < 0:
        _no(f"Invalid negative node id {node} in dynamic voter string.")
    if not rest:
        _no("No hostname found after node id.")
    host, rest = _host(rest)
    if not rest.startswith(":"):
        _no("Port section must start with a colon.")
    digits, colon, directory = rest[1:].partition(":")
    if not colon:
        _no("No colon following port could be found.")
    port = _int(digits)
    if port is None:
        _no("Failed to parse port in dynamic voter string.")
    if not 0 <= port <= 65535:
        _no(f"Invalid port {port} in dynamic voter string.")
    return Voter(node, _uuid(directory), host, port)


def _host(text: str) -> tuple[str, str]:
    if text.startswith("["):
        end = text.find("]")
        if end < 0:
            _no("Hostname began with left bracket, but no right bracket was found.")
        return text[1:end], text[end + 1 :]
    end = text.find(":")
    if end < 0:
        _no("No colon following hostname could be found.")
    return text[:end], text[end:]


def _uuid(text: str) -> bytes:
    try:
        value = urlsafe_b64decode(text + "==") if len(text) <= 24 else b""
    except ValueError:
        value = b""
    if len(value) != 16:
        _no("Failed to parse directory ID in dynamic voter string.")
    return value


def _int(text: str) -> int | None:
    """``Integer.parseInt``; None where Java refuses it."""
    value = int(text) if _NUMBER.fullmatch(text) else 1 << 31
    return value if -(1 << 31) <= value < 1 << 31 else None
