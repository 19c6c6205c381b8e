"""How a client connects to ZooKeeper: Kafka's settings and Java's system properties.

Source: ZkConfigs, KafkaConfig.zkClientConfigViaSystemProperties, JaasUtils of Kafka 3.9. A login is
the section ``Client`` of the JAAS file that ``java.security.auth.login.config`` names; what is not
set as ``zookeeper.ssl.*`` may be set as the system property that ZooKeeper's own client takes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from pykafka_ops.errors import SettingError, TlsSettingError, UsageError
from pykafka_ops.security import jaas
from pykafka_ops.security.jaas_file import LOGIN_CONFIG as LOGIN_CONFIG
from pykafka_ops.security.jaas_file import path_of, sections_of
from pykafka_ops.security.java import is_true, system_properties
from pykafka_ops.settings.broker import BROKER
from pykafka_ops.settings.properties import parse_properties

if TYPE_CHECKING:
    from ssl import SSLContext

SASL_CLIENT = "zookeeper.sasl.client"
SECTION = "zookeeper.sasl.clientconfig"
DEFAULT_SECTION = "Client"
DIGEST_MODULE = "org.apache.zookeeper.server.auth.DigestLoginModule"
KERBEROS = "Krb5LoginModule"
TLS = "zookeeper.ssl.client.enable"
SOCKET = "zookeeper.clientCnxnSocket"
KEY_STORE = "zookeeper.ssl.keystore.location"
IDENTIFICATION = "zookeeper.ssl.endpoint.identification.algorithm"
UNSUPPORTED = {
    "zookeeper.ssl.crl.enable": "revocation lists",
    "zookeeper.ssl.ocsp.enable": "the online status of certificates",
}
SYSTEM_PROPERTIES = {
    TLS: "zookeeper.client.secure",
    SOCKET: "zookeeper.clientCnxnSocket",
    KEY_STORE: "zookeeper.ssl.keyStore.location",
    "zookeeper.ssl.keystore.password": "zookeeper.ssl.keyStore.password",
    "zookeeper.ssl.keystore.type": "zookeeper.ssl.keyStore.type",
    "zookeeper.ssl.truststore.location": "zookeeper.ssl.trustStore.location",
    "zookeeper.ssl.truststore.password": "zookeeper.ssl.trustStore.password",
    "zookeeper.ssl.truststore.type": "zookeeper.ssl.trustStore.type",
    "zookeeper.ssl.protocol": "zookeeper.ssl.protocol",
    "zookeeper.ssl.enabled.protocols": "zookeeper.ssl.enabledProtocols",
    "zookeeper.ssl.cipher.suites": "zookeeper.ssl.ciphersuites",
    IDENTIFICATION: "zookeeper.ssl.hostnameVerification",
    "zookeeper.ssl.crl.enable": "zookeeper.ssl.crl",
    "zookeeper.ssl.ocsp.enable": "zookeeper.ssl.ocsp",
}
"""ZK_SSL_CONFIG_TO_SYSTEM_PROPERTY_MAP."""


class Login(NamedTuple):
    """Name and password for DIGEST-MD5, and the file and section they come from."""

    user: str
    password: str
    source: str

    def __repr__(self) -> str:
        """Without the password."""
        return f"Login({self.user!r}, {self.source!r})"


class Access(NamedTuple):
    """TLS and login of a client; with neither, ZooKeeper is open.

    ``certificate``: the TLS client shows one of its own.
    """

    login: Login | None = None
    tls: SSLContext | None = None
    certificate: bool = False

    @property
    def secure(self) -> bool:
        """Whether ZooKeeper knows who we are, so that znodes can belong to us."""
        return self.login is not None or self.certificate


def access_of(settings: Mapping[str, str], env: Mapping[str, str]) -> Access:
    """From what is set of ``zookeeper.*``, and the JVM's options in ``env``.

    Raises SettingError, TlsSettingError, JaasError or another UsageError, each in one line.
    """
    system = system_properties(env)
    given = _Given(settings, system)
    for name, what in UNSUPPORTED.items():
        if given.is_true(name):
            raise SettingError(f"{name}=true: {what} cannot be checked here: set it to false")
    tls = _context(given) if given.is_true(TLS) else None
    certificate = tls is not None and bool(given.text(KEY_STORE))
    return Access(_login(system), tls, certificate)


def tools_access(path: str | None, env: Mapping[str, str]) -> Access:
    """From the file of ``--zk-tls-config-file``, if there is one, and the JVM's options.

    Only the names of ``SYSTEM_PROPERTIES`` count, with or without ``authorizer.`` before them, as
    kafka-acls takes them. Raises as :func:`access_of`.
    """
    if path is None:
        return access_of({}, env)
    try:
        with open(path, "rb") as file:
            found = parse_properties(file.read())
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    plain = {k.removeprefix("authorizer."): v for k, v in found.items()}
    return access_of({k: v for k, v in plain.items() if k in SYSTEM_PROPERTIES}, env)


class _Given:
    """The settings, the system properties behind them, Kafka's defaults behind those."""

    def __init__(self, settings: Mapping[str, str], system: Mapping[str, str]) -> None:
        self._settings, self._system = settings, system

    def text(self, name: str) -> str | None:
        """The value in effect, None where nothing sets it."""
        if name not in SYSTEM_PROPERTIES:
            return None
        found = self._settings.get(name)
        if found is not None:
            return found.strip()
        found = self._system.get(SYSTEM_PROPERTIES[name])
        if found is not None and name == IDENTIFICATION:
            return "HTTPS" if is_true(found) else ""
        return BROKER[name].default if found is None else found

    def is_true(self, name: str) -> bool:
        """As ``text``; SettingError where it is neither true nor false."""
        return bool(BROKER[name].parse(self.text(name) or "false"))

    def ssl(self, name: str) -> str | None:
        """``ssl.keystore.location`` of ZooKeeper's."""
        found = self.text(f"zookeeper.{name}")
        if name == "ssl.enabled.protocols":
            return found or self.text("zookeeper.ssl.protocol")
        return found


def _context(given: _Given) -> SSLContext:
    from pykafka_ops.security.tls import client_context

    try:
        return client_context(given.ssl, "zookeeper.")
    except TlsSettingError as error:
        raise TlsSettingError(f"TLS to ZooKeeper: {error}") from None


def _login(system: Mapping[str, str]) -> Login | None:
    section = system.get(SECTION, DEFAULT_SECTION)
    found = sections_of(system).get(section)
    if found is None:
        return None
    source = f"section {section} of {path_of(system)}"
    if not is_true(system.get(SASL_CLIENT, "true")):
        raise UsageError(
            f"{source} is a login to ZooKeeper, but {SASL_CLIENT}=false: take one of both away"
        )
    return _digest(found, source)


def _digest(modules: list[jaas.Module], source: str) -> Login:
    for module in modules:
        if module.name == DIGEST_MODULE:
            user, password = module.options.get("username"), module.options.get("password")
            if not user or password is None:
                raise UsageError(f"{source}: DigestLoginModule needs a username and a password")
            return Login(user, password, source)
    if any(module.name.endswith(KERBEROS) for module in modules):
        raise UsageError(
            f"{source}: GSSAPI (Kerberos) to ZooKeeper is not supported: use {DIGEST_MODULE}, or "
            "a client certificate"
        )
    names = ", ".join(module.name for module in modules) or "nothing"
    raise UsageError(f"{source}: {names} is not supported: use {DIGEST_MODULE}")
