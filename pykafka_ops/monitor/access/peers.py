"""Who is at the other end of a connection, and what proxies that we trust say of it."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from typing import Final

from starlette.requests import HTTPConnection

from pykafka_ops.monitor.access.settings import Network

LONGEST: Final = 4096


class Proxies:
    """Addresses whose ``X-Forwarded-...`` headers are believed; of others nothing is."""

    def __init__(self, networks: Sequence[Network] = ()) -> None:
        self._networks = tuple(networks)

    def is_proxy(self, address: str) -> bool:
        """Whether it is the address of a proxy that we trust."""
        found = _parsed(address)
        return found is not None and any(found in network for network in self._networks)

    def peer(self, request: HTTPConnection) -> str:
        """The address at the other end of the connection itself."""
        return request.client.host if request.client else ""

    def address(self, request: HTTPConnection) -> str:
        """Where a request comes from: the last address of ``X-Forwarded-For`` that is no proxy of
        ours, else the peer."""
        peer = self.peer(request)
        if not self.is_proxy(peer):
            return peer
        claimed = ",".join(request.headers.getlist("x-forwarded-for"))[-LONGEST:]
        for text in reversed(claimed.split(",")):
            found = _parsed(text.strip())
            if found is None:
                break
            if not any(found in network for network in self._networks):
                return str(found)
        return peer

    def is_secure(self, request: HTTPConnection) -> bool:
        """Whether the browser speaks TLS, to us or to a proxy that we trust."""
        if request.url.scheme == "https":
            return True
        claimed = request.headers.getlist("x-forwarded-proto")
        return claimed == ["https"] and self.is_proxy(self.peer(request))


def block(address: str) -> str:
    """What counts as one client: an IPv4 address, or the /64 of an IPv6 address."""
    found = _parsed(address)
    if isinstance(found, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((int(found) >> 64 << 64, 64)))
    return address


def _parsed(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return None
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped:
        return found.ipv4_mapped
    return found
