"""Keys, certificates and rules of one listener with TLS: read, checked, replaced as a whole.

Counterpart of ``SslFactory`` and ``DefaultSslEngineFactory``.
"""

from __future__ import annotations

import logging
import os
import ssl
from typing import NamedTuple

from pykafka_ops.broker.state.configs.of_listener import ListenerConfigs
from pykafka_ops.errors import SettingError, TlsSettingError
from pykafka_ops.security import tls
from pykafka_ops.security.certificates import alternative_names, from_pem, subject
from pykafka_ops.security.principal_mapping import SETTING, PrincipalMapping

log = logging.getLogger("kafka.network.SocketServer")

FILES = ("ssl.keystore.location", "ssl.truststore.location")
CLIENT_AUTH = "ssl.client.auth"
IDENTIFICATION = "ssl.endpoint.identification.algorithm"

Stamps = dict[str, tuple[int, int, int]]
"""Of each file when it changed, its size and its number."""


class Keys(NamedTuple):
    """What a listener shows and trusts. ``stamps`` are those of the files before they were read,
    ``texts`` the settings."""

    context: ssl.SSLContext
    client: ssl.SSLContext | None
    mapping: PrincipalMapping
    owner: str
    names: frozenset[bytes]
    stamps: Stamps
    texts: tuple[str | None, ...]


class ListenerKeys:
    """Those of one listener, by its settings; :meth:`load` comes first.

    ``protocol`` is SSL or SASL_SSL. ``between_brokers``: brokers connect by this listener, so that
    it has to trust itself.
    """

    def __init__(self, configs: ListenerConfigs, protocol: str, *, between_brokers: bool) -> None:
        self.listener = configs.listener
        self.names_clients = protocol == "SSL"
        self._configs = configs
        self._between_brokers = between_brokers
        self._now: Keys | None = None
        self._failed: tuple[Stamps, tuple[str | None, ...]] | None = None

    @property
    def now(self) -> Keys:
        """What counts for who connects now."""
        assert self._now is not None, "not loaded"
        return self._now

    def load(self) -> None:
        """Read everything, at a start. Raises SettingError, TlsSettingError. Blocks."""
        if not self.names_clients and self._configs.own(CLIENT_AUTH) is None:
            asked = self._configs.value(CLIENT_AUTH)
            if asked != "none":
                log.warning(
                    "%s=%s has no effect on listener %s, whose clients log in: set %s",
                    CLIENT_AUTH, asked, self.listener, self._configs.name(CLIENT_AUTH),
                )  # fmt: skip
        self._now = self.read(self._configs)

    def read(self, configs: ListenerConfigs) -> Keys:
        """What these settings give. Raises SettingError, TlsSettingError. Blocks."""
        stamps = self._stamps(configs)

        def get(name: str) -> str | None:
            if name == CLIENT_AUTH and not self.names_clients:
                return configs.own(name)  # KIP-684: clients that log in need no certificate
            return configs.text(name)

        prefix = configs.name("")
        context = tls.server_context(get, prefix)
        shown = from_pem(tls.identity(get) or "")
        if not shown:
            raise TlsSettingError(f"{prefix}ssl.keystore.location: no certificate in it")
        client = None
        if self._between_brokers:
            client = tls.client_context(get, prefix)
            tls.check_trust(context, client, f"listener {self.listener}")
        return Keys(
            context,
            client,
            PrincipalMapping(configs.text(SETTING) or ""),
            subject(shown[0]),
            alternative_names(shown[0]),
            stamps,
            self._texts(configs),
        )

    def check(self, configs: ListenerConfigs) -> None:
        """Whether such settings may take the place of those of now. Raises SettingError. Blocks."""
        if self._texts(configs) != self.now.texts:
            self._may_follow(self.read(configs), configs)

    def renew(self) -> None:
        """Read everything again if a setting or a file is another; what cannot be used is named
        once, and what was there stays. Blocks."""
        seen = self._stamps(self._configs), self._texts(self._configs)
        if seen in ((self.now.stamps, self.now.texts), self._failed):
            return
        try:
            new = self.read(self._configs)
            self._may_follow(new, self._configs)
        except (SettingError, TlsSettingError, ValueError) as error:
            self._failed = seen
            log.error("listener %s goes on with its old certificate: %s", self.listener, error)
        else:
            self._failed, self._now = None, new
            log.info("listener %s has new certificates: it is %s", self.listener, new.owner)

    def _may_follow(self, new: Keys, configs: ListenerConfigs) -> None:
        """Raises SettingError, as ``SslFactory.CertificateEntries``: clients may go by names."""
        old = self.now
        if new.owner != old.owner and not configs.value("ssl.allow.dn.changes"):
            raise SettingError(
                f"Keystore DistinguishedName does not match: existing={old.owner}, "
                f"new={new.owner} (ssl.allow.dn.changes)"
            )
        if old.names - new.names and not configs.value("ssl.allow.san.changes"):
            raise SettingError(
                "Keystore SubjectAltNames do not match: some are missing in the new certificate "
                "(ssl.allow.san.changes)"
            )

    def _texts(self, configs: ListenerConfigs) -> tuple[str | None, ...]:
        return tuple(configs.text(name) for name in (*tls.SETTINGS, SETTING))

    @staticmethod
    def _stamps(configs: ListenerConfigs) -> Stamps:
        found: Stamps = {}
        for name in FILES:
            path = configs.text(name)
            if path:
                try:
                    stat = os.stat(os.path.expanduser(path))
                except OSError:
                    found[path] = (0, 0, 0)
                else:
                    found[path] = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
        return found
