"""A broker that can be got into by every way and every login, with rules that tell users apart:
ours, or Apache Kafka's. ``SHUT`` and ``UNSIGNED`` are doors that it may have, too."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from types import MappingProxyType

from pykafka_ops.client.acls import create_acls
from pykafka_ops.client.cluster import Cluster
from pykafka_ops.client.config import ClientConfig
from pykafka_ops.client.scram import NewCredential, alter_scram
from pykafka_ops.client.tokens import create_token, describe_tokens, expire_token
from pykafka_ops.security.acls.rules import (
    AclBinding,
    AclEntry,
    Operation,
    PatternType,
    Permission,
    ResourcePattern,
    ResourceType,
)
from pykafka_ops.settings.scram import MECHANISMS
from tests.support.clients.entries import Entry, Login, provider_trust
from tests.support.process.apache import ApacheBroker, ZooKeeper
from tests.support.process.broker import BrokerProcess
from tests.support.process.certificates import PASSWORD, Authority
from tests.support.process.logins import jaas_setting, module
from tests.support.process.token_provider import AUDIENCE, TokenProvider
from tests.support.waiting import free_port, wait_for

WAYS = {
    "SSL": "SSL",
    "MTLS": "SSL",
    "SASL_PLAINTEXT": "SASL_PLAINTEXT",
    "SASL_SSL": "SASL_SSL",
    "SASL_MTLS": "SASL_SSL",
}
"""Listeners and their security protocols. Those with MTLS ask for a certificate."""
SHUT = {"EXPIRED": "SASL_SSL", "ELSEWHERE": "SASL_SSL", "SCRAM_ONLY": "SASL_SSL"}
"""Doors that nobody gets through: with a certificate that has ended, with one of another host, with
one mechanism."""
UNSIGNED = {"UNSIGNED": "SASL_PLAINTEXT"}
"""A door where tokens count that nobody has signed."""
TOKEN = "token"
LOGINS = ("PLAIN", *MECHANISMS, "OAUTHBEARER", TOKEN)
CELLS = [
    ("SSL", ""),
    ("MTLS", ""),
    *((way, login) for way in WAYS if way.startswith("SASL") for login in LOGINS),
]
"""Ways and logins that go together."""
SECRET = "not told to anybody"
ADMIN = "admin"
HANDLER = "oauthbearer.sasl.server.callback.handler.class"
_HANDLER = "org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallbackHandler"
_MAY = {
    ResourceType.TOPIC: (Operation.CREATE, Operation.WRITE, Operation.READ),
    ResourceType.GROUP: (Operation.READ,),
}


def user_of(way: str, login: str) -> str:
    """Who a client is to the broker, by the way it came and its login."""
    if not login:
        return "CN=client" if way == "MTLS" else "ANONYMOUS"
    return f"{login}-user"


def prefix_of(user: str) -> str:
    """How the topics and groups begin that only this user may use."""
    return user.replace("=", "-") + "."


class EveryWay:
    """``broker`` with its settings. ``authority`` has signed its certificate, and that of clients,
    ``key``; ``stranger`` is another that it does not know, with the client's certificate
    ``false_key``. It has ``doors``, too: those of ``SHUT``, or ``UNSIGNED``."""

    def __init__(
        self,
        directory: Path,
        broker: ApacheBroker | BrokerProcess,
        settings: Mapping[str, object],
        doors: Mapping[str, str],
    ) -> None:
        self.broker = broker
        self.ways = {**WAYS, **doors}
        self.authority, self.stranger = Authority(directory), Authority(directory / "stranger")
        self.key = self.authority.issue("client")
        self.false_key = self.stranger.issue("client")
        user = user_of("SASL_SSL", "OAUTHBEARER")
        self.provider = TokenProvider(
            {user: SECRET, "late": SECRET}, {"late": -600}, self.authority.issue("provider")
        )
        self.ports = {way: free_port() for way in self.ways}
        self.tokens: dict[str, Login] = {}
        more = [f"{way}://{self.where(way)}" for way in self.ways]
        broker.overrides = {**self._settings(), **settings}
        if isinstance(broker, BrokerProcess):
            broker.also = more
        else:
            listeners = [f"PLAINTEXT://127.0.0.1:{broker.port}", *more]
            broker.overrides["listeners"] = ",".join(listeners)

    def where(self, way: str) -> str:
        return f"127.0.0.1:{self.ports[way]}"

    def _settings(self) -> dict[str, object]:
        protocols = {"PLAINTEXT": "PLAINTEXT", **self.ways}
        found: dict[str, object] = {
            "authorizer.class.name": "kafka.security.authorizer.AclAuthorizer",
            "super.users": f"User:{ADMIN}",
            "delegation.token.secret.key": "a secret of the brokers",
            "inter.broker.listener.name": "SASL_PLAINTEXT",
            "listener.security.protocol.map": ",".join(f"{k}:{v}" for k, v in protocols.items()),
            "sasl.mechanism.inter.broker.protocol": "PLAIN",
            "sasl.enabled.mechanisms": ",".join(each for each in LOGINS if each != TOKEN),
            "sasl.oauthbearer.jwks.endpoint.url": self.provider.keys_url,
            "sasl.oauthbearer.expected.audience": AUDIENCE,
            "ssl.keystore.type": "PKCS12",
            "ssl.keystore.location": self.authority.pkcs12(self.authority.issue("broker")),
            "ssl.keystore.password": PASSWORD,
            "ssl.key.password": PASSWORD,
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": self.authority.ca,
            "offsets.topic.num.partitions": 4,
        }
        for way, protocol in self.ways.items():
            if way.endswith("MTLS"):
                found[f"listener.name.{way.lower()}.ssl.client.auth"] = "required"
            if protocol.startswith("SASL"):
                found |= _modules(way.lower(), self.authority)
        if "EXPIRED" in self.ways:
            found |= self._shut()
        if "UNSIGNED" in self.ways:
            del found[f"listener.name.unsigned.{HANDLER}"]
            found["listener.name.unsigned.sasl.enabled.mechanisms"] = "OAUTHBEARER"
            found["listener.name.unsigned.sasl.oauthbearer.jwks.endpoint.url"] = ""
        return found

    def _shut(self) -> dict[str, object]:
        ended = self.authority.issue("ended", days=-1)
        elsewhere = self.authority.issue("elsewhere", names="DNS:elsewhere.example")
        found: dict[str, object] = {
            f"listener.name.{way}.ssl.keystore.location": self.authority.pkcs12(key)
            for way, key in (("expired", ended), ("elsewhere", elsewhere))
        }
        return found | {"listener.name.scram_only.sasl.enabled.mechanisms": "SCRAM-SHA-256"}

    def entry(self, way: str, login: Login | None, *, key: Path | None = None) -> Entry:
        """How to get in there; by default with the certificate that is asked for."""
        shown = key or (self.key if way.endswith("MTLS") else None)
        return Entry(self.where(way), self.ways[way], self.authority, shown, login)

    def login(self, name: str) -> Login | None:
        """The right one."""
        if not name:
            return None
        if name == TOKEN:
            return self.tokens["good"]
        provider = (self.provider.tokens_url, self.authority) if name == "OAUTHBEARER" else None
        return Login(name, user_of("", name), SECRET, provider)

    def wrong_login(self, name: str) -> Login:
        """That of somebody who has no right to come in, or no longer."""
        if name == TOKEN:
            return self.tokens["over"]
        found = self.login(name)
        assert found is not None
        return found._replace(name="late") if name == "OAUTHBEARER" else found._replace(secret="no")

    def start(self) -> None:
        """With all users, their rights, a token, and one that is over."""
        self.broker.start()
        with closing(Cluster(self._as(ADMIN))) as cluster:
            for name, mechanism in MECHANISMS.items():
                new, user = NewCredential(mechanism, 4096, SECRET), user_of("", name)
                assert alter_scram(cluster, {user: [new]}) == {user: None}
            users = {user_of(*cell) for cell in CELLS}
            assert not any(create_acls(cluster, [r for user in users for r in _rules(user)]))
        with closing(Cluster(self._as(user_of("", TOKEN)))) as cluster:
            good, over = create_token(cluster), create_token(cluster)
            wait_for(lambda: len(describe_tokens(cluster)) == 2, what="the tokens to be known")
            expire_token(cluster, over.hmac)
            wait_for(lambda: len(describe_tokens(cluster)) == 1, what="one token to be gone")
        for name, token in (("good", good), ("over", over)):
            secret = b64encode(token.hmac).decode()
            self.tokens[name] = Login("SCRAM-SHA-256", token.id, secret, by_token=True)

    def _as(self, user: str) -> ClientConfig:
        return ClientConfig.of(
            {
                "bootstrap.servers": self.where("SASL_PLAINTEXT"),
                "security.protocol": "SASL_PLAINTEXT",
                "sasl.mechanism": "PLAIN",
                "sasl.jaas.config": module("PLAIN", username=user, password=SECRET),
            }
        )

    def close(self) -> None:
        self.broker.close()
        self.provider.close()


def _modules(listener: str, authority: Authority) -> dict[str, object]:
    known = {f"user_{user}": SECRET for user in (ADMIN, *(user_of("", each) for each in LOGINS))}
    options = {
        "PLAIN": {"username": ADMIN, "password": SECRET, **known},
        # Apache Kafka makes a token for itself where there are options, and needs a name for it.
        "OAUTHBEARER": provider_trust(authority) | {"unsecuredLoginStringClaim_sub": ADMIN},
    }
    handler = f"listener.name.{listener}.{HANDLER}"
    modules = {m: module(m, **options.get(m, {})) for m in LOGINS if m != TOKEN}
    return {**{jaas_setting(m, listener): text for m, text in modules.items()}, handler: _HANDLER}


def _rules(user: str) -> list[AclBinding]:
    return [
        AclBinding(
            ResourcePattern(kind, prefix_of(user), PatternType.PREFIXED),
            AclEntry(f"User:{user}", "*", operation, Permission.ALLOW),
        )
        for kind, operations in _MAY.items()
        for operation in operations
    ]


@contextmanager
def every_way(
    directory: Path,
    kind: str,
    settings: Mapping[str, object] | None = None,
    *,
    doors: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[EveryWay]:
    """A fresh one that is up: "pko", or "apache" and its ZooKeeper; ``settings`` come on top,
    ``doors`` as well."""
    (directory / "stranger").mkdir()
    with ExitStack() as after:
        if kind == "pko":
            broker: ApacheBroker | BrokerProcess = BrokerProcess(directory / "broker-0")
        else:
            zookeeper = ZooKeeper(directory).start()
            after.callback(zookeeper.close)
            broker = ApacheBroker(directory / "broker-0", zookeeper)
        made = EveryWay(directory, broker, settings or {}, doors)
        after.callback(made.close)
        made.start()
        yield made
