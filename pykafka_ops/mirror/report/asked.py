"""What a running mirror says of itself at its ``listen`` address, where it can be asked."""

from __future__ import annotations

import http.client
import json
from typing import Any, Final

from pykafka_ops.client.leaders import Partition
from pykafka_ops.mirror.report.server import listen_place

SECONDS: Final = 2.0
MOST_BYTES: Final = 256 << 20
_ANY: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}


def process_status(listen: str | None) -> dict[str, dict[str, Any]]:
    """The links of the process that listens there, by name; {} where none does, or it is another
    program."""
    if listen is None:
        return {}
    host, port = listen_place(listen)
    if not port:
        return {}
    connection = http.client.HTTPConnection(_ANY.get(host, host), port, timeout=SECONDS)
    try:
        connection.request("GET", "/status")
        found = json.loads(connection.getresponse().read(MOST_BYTES))
        return {str(link["link"]): link for link in found["links"]}
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError, RecursionError):
        return {}
    finally:
        connection.close()


def troubles_of(link: dict[str, Any]) -> dict[Partition, str]:
    """The partitions of a link that the process cannot copy, and why."""
    found = {}
    rows = link.get("partitions")
    for row in rows if isinstance(rows, list) else ():
        match row:
            case {"topic": str(topic), "partition": int(number), "trouble": str(text)}:
                found[topic, number] = text
    return found
