"""Our broker and Apache Kafka with the same listeners, users and settings of logins."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from pykafka_ops.settings.scram import MECHANISMS
from pykafka_ops.wire.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    ScramCredentialUpsertion,
)
from pykafka_ops.wire.messages.create_delegation_token import CreateDelegationTokenRequest
from tests.support.differential.logins import steps
from tests.support.differential.logins.talk import DELAY_MS, ENCRYPTED, Site, Talk
from tests.support.differential.two_brokers import Link
from tests.support.process.apache import ApacheBroker, ZooKeeper
from tests.support.process.broker import BrokerProcess
from tests.support.process.certificates import PASSWORD, Authority
from tests.support.process.logins import jaas_setting, module
from tests.support.waiting import free_port, wait_for

LISTENERS = {
    "LOGIN": "SASL_PLAINTEXT",
    ENCRYPTED: "SASL_SSL",
    "AGAIN": "SASL_PLAINTEXT",
    "BRIEF": "SASL_PLAINTEXT",
    "SMALL": "SASL_PLAINTEXT",
}
SMALL_BYTES = 1_000
"""The longest frame of a login on that listener."""
USERS = {"alice": "alice-secret", "bob": "bob-secret", "a,b=c": "comma"}
"""For PLAIN."""
SALT = b"salt of the tests"


class User(NamedTuple):
    """Who logs in by SCRAM."""

    name: str
    password: str
    iterations: int = 4096


SCRAM_USERS = (
    User("alice", "alice-secret"),
    User("bob", "bob-secret", 8192),
    User("slow", "slow-secret", 16384),
    User("a,b=c", "comma"),
    User("=2C", "written like a comma"),
)
MODULES = {
    "PLAIN": {f"user_{name}": password for name, password in USERS.items() if name.isalpha()},
    "SCRAM-SHA-256": {},
    "SCRAM-SHA-512": {},
    "OAUTHBEARER": {"unsecuredLoginStringClaim_sub": "broker"},
}


def settings(authority: Authority) -> dict[str, str]:
    """Of both brokers."""
    protocols = ",".join(f"{name}:{protocol}" for name, protocol in LISTENERS.items())
    return {
        "listener.security.protocol.map": f"PLAINTEXT:PLAINTEXT,{protocols}",
        "sasl.enabled.mechanisms": ",".join(MODULES),
        "delegation.token.secret.key": "a secret",
        "connection.failed.authentication.delay.ms": str(DELAY_MS),
        "ssl.keystore.type": "PKCS12",
        "ssl.keystore.location": str(authority.pkcs12(authority.issue("broker"))),
        "ssl.keystore.password": PASSWORD,
        "ssl.key.password": PASSWORD,
        "listener.name.small.sasl.server.max.receive.size": str(SMALL_BYTES),
        **{
            f"listener.name.{listener}.{mechanism.lower()}.connections.max.reauth.ms": ms
            for mechanism in MODULES
            for listener, ms in (("again", "60000"), ("brief", "1000"))
        },
        **{
            jaas_setting(mechanism, listener.lower()): module(mechanism, **options)
            for mechanism, options in MODULES.items()
            for listener in LISTENERS
        },
    }


@contextmanager
def two_sites(directory: Path) -> Iterator[tuple[Site, Site]]:
    """Ours and theirs, with users and a delegation token of alice."""
    authority = Authority(directory)
    common = settings(authority)
    ports = [{name: free_port() for name in LISTENERS} for _ in range(2)]
    also = [[f"{name}://127.0.0.1:{port}" for name, port in each.items()] for each in ports]
    with ExitStack() as stack:
        zookeeper = ZooKeeper(directory).start()
        stack.callback(zookeeper.close)
        theirs = ApacheBroker(directory / "apache", zookeeper, common)
        theirs.overrides["listeners"] = ",".join([f"PLAINTEXT://{theirs.bootstrap}", *also[1]])
        ours = BrokerProcess(directory / "pko", common)
        ours.also = also[0]
        for broker in (ours, theirs):
            stack.callback(broker.close)
            broker.start()
        brokers = (ours, theirs)
        found = [_furnished(b.bootstrap, p) for b, p in zip(brokers, ports, strict=True)]
        yield found[0], found[1]


def _furnished(bootstrap: str, ports: dict[str, int]) -> Site:
    link = Link(bootstrap)
    for mechanism in MECHANISMS.values():
        made = [
            ScramCredentialUpsertion(
                name=user.name,
                mechanism=mechanism.number,
                iterations=user.iterations,
                salt=SALT,
                salted_password=hashlib.pbkdf2_hmac(
                    mechanism.digest, user.password.encode(), SALT, user.iterations
                ),
            )
            for user in SCRAM_USERS
        ]
        answer = link.ask(AlterUserScramCredentialsRequest(upsertions=made), 0)
        assert not any(result.error_code for result in answer.results), answer
    link.close()
    site = Site(ports)
    wait_for(lambda: _logs_in(site, "slow", "slow-secret"), what="SCRAM logins")
    return _with_token(site)


def _with_token(site: Site) -> Site:
    talk = Talk(site, "LOGIN")
    steps.handshake("PLAIN")(talk)
    steps.authenticate(b"\0alice\0alice-secret")(talk)
    made = talk.ask(CreateDelegationTokenRequest(max_lifetime_ms=-1), 2)
    talk.close()
    assert not made.error_code, made
    whole = site._replace(token_id=made.token_id, token_secret=b64encode(made.hmac).decode())
    more = ",tokenauth=true"
    wait_for(lambda: _logs_in(whole, steps.GIVEN, "", more), what="logins by the token")
    return whole


def _logs_in(site: Site, name: str, password: str, extensions: str = "") -> bool:
    talk = Talk(site, "LOGIN")
    try:
        steps.handshake("SCRAM-SHA-512")(talk)
        steps.Scram("SCRAM-SHA-512", name, password, extensions=extensions)(talk)
        return talk.notes[-1].startswith("in,")
    except steps.HungUpError:
        return False
    finally:
        talk.close()
