"""``listeners`` and ``advertised.listeners``: where the broker listens, and where clients connect.

Counterpart of ``kafka.cluster.EndPoint`` and ``KafkaConfig.listeners``.
"""

from __future__ import annotations

import re
import socket
from typing import NamedTuple

from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.errors import SettingError

LISTENER = re.compile(
    r"^(?P<name>[A-Za-z0-9_]+)://\[?(?P<host>[0-9A-Za-z\-%._:]*?)\]?:(?P<port>-?\d+)$"
)

SERVED = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")


class Endpoint(NamedTuple):
    """One listener: its name, the host to bind or to announce ("" for any) and its port."""

    name: str
    host: str
    port: int

    def text(self, protocol: str = "") -> str:
        """As it stands in settings and znodes: ``PLAINTEXT://host:port``."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{protocol or self.name}://{host}:{self.port}"


def parse_listeners(text: str, setting: str) -> list[Endpoint]:
    """Parse a comma-separated list of listeners. Raises SettingError."""
    found: list[Endpoint] = []
    for item in (part.strip() for part in text.split(",")):
        if not item:
            continue
        match = LISTENER.match(item)
        if match is None:
            raise SettingError(
                f"{setting}: cannot read listener '{item}': write NAME://HOST:PORT, "
                "for example PLAINTEXT://127.0.0.1:9092"
            )
        port = int(match["port"])
        if not 0 <= port <= 65535:
            raise SettingError(f"{setting}: port {port} of '{item}' is not between 0 and 65535")
        found.append(Endpoint(match["name"].upper(), match["host"], port))
    names = [endpoint.name for endpoint in found]
    if len(set(names)) != len(names):
        raise SettingError(f"{setting}: each listener must have a different name: {text}")
    if not found:
        raise SettingError(f"{setting}: at least one listener is needed")
    return found


def protocol_map(text: str) -> dict[str, str]:
    """``listener.security.protocol.map`` as a dict. Raises SettingError."""
    found = {}
    for item in (part.strip() for part in text.split(",")):
        if not item:
            continue
        name, colon, protocol = item.partition(":")
        if not colon:
            raise SettingError(f"listener.security.protocol.map: cannot read '{item}'")
        found[name.strip().upper()] = protocol.strip().upper()
    return found


def check_protocols(endpoints: list[Endpoint], protocols: dict[str, str]) -> None:
    """Every listener must be mapped, and to a protocol that is served. Raises SettingError."""
    for endpoint in endpoints:
        protocol = protocols.get(endpoint.name)
        if protocol is None:
            raise SettingError(
                f"No security protocol defined for listener {endpoint.name}: "
                "add it to listener.security.protocol.map"
            )
        if protocol not in SERVED:
            raise SettingError(
                f"listener {endpoint.name} asks for {protocol}: choose one of {', '.join(SERVED)}"
            )


def open_to_all(endpoint: Endpoint, protocol: str, client_auth: str) -> str | None:
    """What to say of a listener that lets in whoever reaches it, from other machines too."""
    host = endpoint.host
    if host == "localhost" or host == "::1" or host.startswith("127."):
        return None
    if protocol.startswith("SASL_") or (protocol == "SSL" and client_auth == "required"):
        return None
    reach = (
        "is for other machines, too" if host else "names no address: every network here reaches it"
    )
    way = "set ssl.client.auth=required" if protocol == "SSL" else "listen on a private network"
    return f"{endpoint.text()} {reach}, and everybody who connects is let in: {way}"


def advertise(bound: list[Endpoint], advertised: list[Endpoint] | None) -> list[Endpoint]:
    """The addresses for clients: ``advertised.listeners``, else the bound addresses.

    An empty host becomes this machine's name, as Kafka does; port 0 becomes the port that was
    bound. Raises SettingError for 0.0.0.0, which no client can connect to.
    """
    ports = {endpoint.name: endpoint.port for endpoint in bound}
    found = []
    for endpoint in advertised or bound:
        if endpoint.name not in ports:
            raise SettingError(f"advertised.listeners: {endpoint.name} is not one of the listeners")
        host = endpoint.host or socket.getfqdn()
        if host in ("0.0.0.0", "::"):
            raise SettingError(
                "advertised.listeners cannot use the nonroutable meta-address 0.0.0.0. "
                "Use a routable IP address."
            )
        found.append(Endpoint(endpoint.name, host, endpoint.port or ports[endpoint.name]))
    return found


def _inter_broker(configs: BrokerConfigs, advertised: list[Endpoint]) -> str:
    """As ``KafkaConfig.interBrokerListenerName``. Raises SettingError."""
    named = configs.text("inter.broker.listener.name")
    if named and "security.inter.broker.protocol" in configs.static:
        raise SettingError(
            "Only one of inter.broker.listener.name and security.inter.broker.protocol should be "
            "set."
        )
    name = (named or configs.text("security.inter.broker.protocol") or "").upper()
    names = [endpoint.name for endpoint in advertised]
    if name not in names:
        raise SettingError(
            "requirement failed: inter.broker.listener.name must be a listener name defined in "
            "advertised.listeners. The valid options based on currently configured listeners are "
            + ",".join(names)
        )
    return name


class Listening:
    """Where a broker listens by its settings; ``protocols`` by listener name.

    Raises SettingError.
    """

    def __init__(self, configs: BrokerConfigs) -> None:
        self.protocols = protocol_map(configs.text("listener.security.protocol.map") or "")
        self.endpoints = parse_listeners(configs.text("listeners") or "", "listeners")
        check_protocols(self.endpoints, self.protocols)
        name = "advertised.listeners"
        text = configs.text(name) if configs.value(name) else None
        self.advertised = None if text is None else parse_listeners(text, name)
        self.inter_broker = _inter_broker(configs, self.advertised or self.endpoints)
        """Name of the listener brokers use among themselves."""

    @property
    def used_protocols(self) -> dict[str, str]:
        """The protocols of the listeners that are there."""
        return {each.name: self.protocols[each.name] for each in self.endpoints}

    def announced(self, bound: list[Endpoint]) -> list[Endpoint]:
        """The endpoints to announce to clients and brokers once the listeners are ``bound``."""
        return advertise(bound, self.advertised)
