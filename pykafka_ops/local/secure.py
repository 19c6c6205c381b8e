"""TLS, SCRAM and access rules for a cluster on this machine, in files that only their owner reads.

DIR/ca.pem, ca.key           an authority that was made for this cluster
DIR/broker.pem               the brokers' key and certificates
DIR/passwords.json           of the users ``admin`` and ``broker``
DIR/admin.properties         settings of clients, as in ``--command-config``
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pykafka_ops.client.scram import DEFAULT_ITERATIONS, NewCredential, stored
from pykafka_ops.errors import PkoError
from pykafka_ops.settings.scram import MECHANISMS

ADMIN, BROKER = "admin", "broker"
LISTENER: Final = "SASL_SSL"
MECHANISM: Final = "SCRAM-SHA-512"
DAYS: Final = 3650
HOSTS: Final = ("localhost", "127.0.0.1")
_MODULE: Final = "org.apache.kafka.common.security.scram.ScramLoginModule"


class SecureSetup:
    """Made once by :meth:`make`; the same afterwards."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.client_file = directory / f"{ADMIN}.properties"
        self.authority = directory / "ca.pem"
        self._identity = directory / "broker.pem"
        self._passwords = directory / "passwords.json"
        self.users: tuple[str, ...] = (ADMIN, BROKER)

    def make(self) -> None:
        """Make what is missing. Raises PkoError where it cannot be made."""
        self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not self._identity.exists():
            self._make_certificates()
        if not self._passwords.exists():
            made = {user: secrets.token_hex(16) for user in self.users}
            _write(self._passwords, json.dumps(made).encode())
        lines = [f"{key}={value}\n" for key, value in self.client_properties().items()]
        _write(self.client_file, "".join(lines).encode())

    def _make_certificates(self) -> None:
        try:
            from pykafka_ops.security import issuing
        except ImportError:
            text = "a secure cluster needs certificates: pip install 'pykafka-ops[certs]'"
            raise PkoError(text) from None
        authority = issuing.new_authority("pko local authority", DAYS)
        identity = issuing.new_identity(authority, "broker", HOSTS, DAYS)
        _write(self.directory / "ca.key", authority.key_pem())
        _write(self.authority, authority.certificate_pem())
        whole = identity.key_pem() + identity.certificate_pem() + authority.certificate_pem()
        _write(self._identity, whole)

    def password(self, user: str) -> str:
        """The password of one of ``users``. Raises PkoError if the file is damaged."""
        try:
            return str(json.loads(self._passwords.read_bytes())[user])
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise PkoError(f"{self._passwords} cannot be used: {error}") from None

    def broker_settings(self) -> dict[str, str]:
        """What each broker has in its server.properties; it has secrets."""
        prefix = f"listener.name.{LISTENER.lower()}.{MECHANISM.lower()}"
        return {
            "security.inter.broker.protocol": LISTENER,
            "sasl.enabled.mechanisms": MECHANISM,
            "sasl.mechanism.inter.broker.protocol": MECHANISM,
            f"{prefix}.sasl.jaas.config": self._jaas(BROKER),
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": str(self._identity),
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": str(self.authority),
            "authorizer.class.name": "kafka.security.authorizer.AclAuthorizer",
            "super.users": f"User:{ADMIN};User:{BROKER}",
        }

    def client_properties(self) -> dict[str, str]:
        """How ``admin`` gets in, without the address."""
        return {
            "security.protocol": LISTENER,
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": str(self.authority),
            "sasl.mechanism": MECHANISM,
            "sasl.jaas.config": self._jaas(ADMIN),
        }

    def librdkafka_properties(self, user: str = ADMIN) -> dict[str, str]:
        """How ``user`` gets in, under the names of librdkafka."""
        return {
            "security.protocol": LISTENER,
            "ssl.ca.location": str(self.authority),
            "sasl.mechanism": MECHANISM,
            "sasl.username": user,
            "sasl.password": self.password(user),
        }

    def _jaas(self, user: str) -> str:
        return f'{_MODULE} required username="{user}" password="{self.password(user)}";'

    def add_users(self, connect: str) -> None:
        """Write the users to ZooKeeper, where they are not yet. Raises PkoError."""
        from kazoo.client import KazooClient  # brokers use it, commands hardly
        from kazoo.exceptions import KazooException, NodeExistsError
        from kazoo.handlers.threading import KazooTimeoutError

        client = KazooClient(hosts=connect)
        try:
            client.start(timeout=30)
            for user in self.users:
                credential = NewCredential(
                    MECHANISMS[MECHANISM], DEFAULT_ITERATIONS, self.password(user)
                )
                config = {MECHANISM: stored(credential).text()}
                data = json.dumps({"version": 1, "config": config}).encode()
                try:
                    client.create(f"/config/users/{user}", data, makepath=True)
                except NodeExistsError:
                    continue
        except (KazooException, KazooTimeoutError) as error:
            raise PkoError(f"users cannot be written to ZooKeeper: {error!r}") from error
        finally:
            client.stop()
            client.close()


def write_settings(path: Path, settings: Mapping[str, str]) -> None:
    """A file of settings that only its owner reads."""
    _write(path, "".join(f"{key}={value}\n" for key, value in settings.items()).encode())


def _write(path: Path, data: bytes) -> None:
    """All or nothing, for the owner's eyes alone."""
    part = path.with_name(f"{path.name}.part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    part.replace(path)
