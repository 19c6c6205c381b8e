"""What a controller's properties and its ``meta.properties`` say of it, for adding it to a quorum.

Kafka counterpart: ``MetadataQuorumCommand.getControllerId``, ``getMetadataDirectory`` and so on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from pykafka_ops.client.quorum import QuorumEndpoint
from pykafka_ops.commands.framework.meta_properties import read_meta_properties
from pykafka_ops.commands.framework.types import java_integer
from pykafka_ops.errors import CorruptError, UsageError, WireError
from pykafka_ops.wire.types import parse_uuid

_VALID = "Is this a valid controller configuration file?"
_LISTENER = re.compile(r"(.*)://\[?([0-9a-zA-Z\-%._:]*)\]?:(-?[0-9]{1,10})")
_PORTS = range(1 << 16)


class ControllerToAdd(NamedTuple):
    """Its node id, the id of its metadata directory as text, where it listens."""

    id: int
    directory: str
    endpoints: list[QuorumEndpoint]


def controller_to_add(properties: Mapping[str, str]) -> ControllerToAdd:
    """The controller whose properties these are; UsageError with Kafka's complaints."""
    number = _id(properties)
    directory = _directory_id(_metadata_directory(properties))
    return ControllerToAdd(number, directory, _endpoints(properties))


def _id(properties: Mapping[str, str]) -> int:
    text = properties.get("node.id")
    if text is None:
        raise UsageError(f"node.id not found in configuration file. {_VALID}")
    number = java_integer(text)
    if number is None:
        raise UsageError(f'For input string: "{text}"')
    if number < 0:
        raise UsageError(f"node.id was negative in configuration file. {_VALID}")
    if "controller" not in properties.get("process.roles", ""):
        raise UsageError(
            f"process.roles did not contain 'controller' in configuration file. {_VALID}"
        )
    return number


def _metadata_directory(properties: Mapping[str, str]) -> str:
    own = properties.get("metadata.log.dir")
    if own is not None:
        return own
    shared = properties.get("log.dirs")
    if shared is None:
        raise UsageError(f"Neither metadata.log.dir nor log.dirs were found. {_VALID}")
    return shared.strip().split(",")[0]


def _directory_id(directory: str) -> str:
    try:
        found = read_meta_properties(directory)
    except OSError:
        raise UsageError(f"Unable to read meta.properties from {directory}") from None
    except CorruptError as error:
        raise UsageError(f"{directory}: {error}") from None
    if found.directory_id is None:
        raise UsageError(f"No directory id found in {directory}")
    try:
        parse_uuid(found.directory_id)
    except WireError:
        raise UsageError(f"{directory}: no directory id: {found.directory_id}") from None
    return found.directory_id


def _endpoints(properties: Mapping[str, str]) -> list[QuorumEndpoint]:
    known = {}
    for key in ("listeners", "advertised.listeners"):
        for text in re.split(r"\s*,\s*", properties.get(key, "").strip()):
            if text:
                endpoint = _endpoint(text)
                known[endpoint.listener] = endpoint
    names = properties.get("controller.listener.names")
    if names is None:
        raise UsageError(f"controller.listener.names was not found. {_VALID}")
    found = []
    for name in names.upper().split(","):
        if name not in known:
            raise UsageError(f"Cannot find information about controller listener name: {name}")
        found.append(known[name])
    return found


def _endpoint(text: str) -> QuorumEndpoint:
    match = _LISTENER.fullmatch(text)
    if match is None:
        raise UsageError(f"Unable to parse {text} to a broker endpoint")
    name, host, port = match[1].upper(), match[2] or "localhost", int(match[3])
    if port not in _PORTS:
        raise UsageError(f"Unable to parse {text} to a broker endpoint")
    return QuorumEndpoint(name, host, port)
