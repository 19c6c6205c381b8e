"""A ZooKeeper with TLS and logins, and what its clients need."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from pykafka_ops.local.zookeeper import ZooKeeper
from pykafka_ops.zookeeper.access import LOGIN_CONFIG, Access, access_of
from pykafka_ops.zookeeper.acls import acl_texts
from pykafka_ops.zookeeper.client import Client
from tests.support.process.certificates import PASSWORD, Authority

DIGEST = "org.apache.zookeeper.server.auth.DigestLoginModule required"
USER, SECRET = "kafka", "s3cret of kafka"
SASL = "org.apache.zookeeper.server.auth.SASLAuthenticationProvider"


class SecuredZooKeeper:
    """A port for DIGEST-MD5, one for TLS that takes a client certificate if there is one."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.authority = Authority(directory)
        client = self.authority.issue("client")
        self.key_store = self.authority.pkcs12(client)
        self.jaas = self._jaas("jaas.conf", SECRET)
        self.bad_jaas = self._jaas("bad.conf", "not it")
        settings = {
            "clientPort": "0",
            "secureClientPort": "0",
            "tickTime": "500",
            "minSessionTimeout": "1000",
            "authProvider.sasl": SASL,
            "ssl.keyStore.location": str(self.authority.issue("server")),
            "ssl.trustStore.location": str(self.authority.ca),
            "ssl.clientAuth": "want",
            "ssl.enabledProtocols": "TLSv1.2,TLSv1.3",
        }
        self.server = ZooKeeper(
            directory / "zookeeper",
            settings,
            mortal=True,
            fsync=False,
            options=[f"-D{LOGIN_CONFIG}={self.jaas}"],
        )

    def _jaas(self, name: str, password: str) -> Path:
        path = self.directory / name
        path.write_text(
            f'Server {{ {DIGEST} user_{USER}="{SECRET}" user_other="x"; }};\n'
            f'Client {{ {DIGEST} username="{USER}" password="{password}"; }};\n'
        )
        return path

    def start(self) -> SecuredZooKeeper:
        self.server.start()
        return self

    @staticmethod
    @contextmanager
    def options(jaas: Path) -> Iterator[None]:
        """``KAFKA_OPTS`` that name the JAAS file, for what is started meanwhile."""
        with mock.patch.dict(os.environ, {"KAFKA_OPTS": f"-D{LOGIN_CONFIG}={jaas}"}):
            yield

    @property
    def connect(self) -> str:
        return self.server.connect

    @property
    def secure_connect(self) -> str:
        return self.server.secure_connect

    @property
    def tls(self) -> dict[str, str]:
        """The settings of a client with a certificate."""
        return {
            "zookeeper.ssl.client.enable": "true",
            "zookeeper.clientCnxnSocket": "org.apache.zookeeper.ClientCnxnSocketNetty",
            "zookeeper.ssl.truststore.location": str(self.authority.ca),
            "zookeeper.ssl.keystore.location": str(self.key_store),
            "zookeeper.ssl.keystore.password": PASSWORD,
        }

    def access(self, *, tls: bool = False, login: bool = True) -> Access:
        options = {"KAFKA_OPTS": f"-D{LOGIN_CONFIG}={self.jaas}"} if login else {}
        return access_of(self.tls if tls else {}, options)

    def acls(self, top: str) -> dict[str, list[str]]:
        """Of every znode from ``top`` on, by its path without ``top``."""
        client = Client(self.connect, 6.0, self.access())
        client.open(60)
        found: dict[str, list[str]] = {}

        def walk(path: str) -> None:
            found[path.removeprefix(top) or "/"] = acl_texts(client.get_acls(path)[0])
            for name in client.get_children(path):
                walk(f"{path}/{name}")

        try:
            walk(top)
        finally:
            client.end()
        return found

    def close(self) -> None:
        self.server.kill()
