"""Where a cluster's brokers listen, as they have registered in ZooKeeper.

Source: KafkaZkClient.getAllBrokersInCluster, ZkData.BrokerIdZNode.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from pykafka_ops.errors import ConnectError
from pykafka_ops.zookeeper.client import Client

PATH = "/brokers/ids"


def registered(client: Client) -> dict[int, dict[str, Any]]:
    """What each live broker has registered, by id; ConnectError where there is none."""
    from kazoo.exceptions import KazooException, NoNodeError

    found: dict[int, dict[str, Any]] = {}
    try:
        names = client.get_children(PATH) if client.exists(PATH) else []
        for name in names:
            with contextlib.suppress(NoNodeError, ValueError, RecursionError):  # gone, or no broker
                data = json.loads(client.get(f"{PATH}/{name}")[0])
                if isinstance(data, dict):
                    found[int(name)] = data
    except KazooException as error:
        raise ConnectError(f"ZooKeeper does not say who the brokers are: {error!r}") from None
    if not found:
        where = f"{client.chroot or ''}{PATH}"
        raise ConnectError(
            f"ZooKeeper knows no broker: {where} is empty (is the chroot right, as in "
            "HOST:2181/kafka? does a broker run?)"
        )
    return dict(sorted(found.items()))


def addresses(brokers: dict[int, dict[str, Any]], protocol: str) -> list[str]:
    """``host:port`` of the listener that each broker has for ``protocol``; ConnectError."""
    found = [one for broker in brokers.values() for one in _listeners(broker, protocol)]
    if not found:
        others = sorted({p for b in brokers.values() for p in _protocols(b)})
        raise ConnectError(
            f"no broker listens for security.protocol={protocol}; they listen for: "
            f"{', '.join(others) or 'nothing'}"
        )
    return found


def _protocols(broker: dict[str, Any]) -> Iterator[str]:
    by_name = broker.get("listener_security_protocol_map") or {}
    for endpoint in broker.get("endpoints") or ():
        name = str(endpoint).partition("://")[0]
        yield str(by_name.get(name, name))


def _listeners(broker: dict[str, Any], protocol: str) -> Iterator[str]:
    """The first listener of the protocol; brokers before 0.9 have one of plain text."""
    endpoints = [str(endpoint) for endpoint in broker.get("endpoints") or ()]
    for endpoint, spoken in zip(endpoints, _protocols(broker), strict=True):
        if spoken == protocol:
            yield urlsplit(endpoint).netloc
            return
    if not endpoints and protocol == "PLAINTEXT" and broker.get("host"):
        yield f"{broker['host']}:{broker.get('port')}"
