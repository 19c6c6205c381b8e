"""Logins by Kerberos: a KDC of its own, our client and our broker."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from unittest import mock

import pytest

from pykafka_ops.broker.runtime.security.login_modules import LoginModules
from pykafka_ops.broker.runtime.security.login_sources import LoginSources
from pykafka_ops.broker.runtime.security.offers import offer_of
from pykafka_ops.broker.state.configs.of_listener import ListenerConfigs
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.logins.credentials import ScramCredentials
from pykafka_ops.errors import SettingError
from tests.support.process.commands import Said, pko
from tests.support.process.kdc import REALM, Kdc, cached, faketime, jaas, module
from tests.support.process.logins import PROTOCOLS, LoginBroker
from tests.support.waiting import free_port, wait_for

pytestmark = pytest.mark.kerberos
RULES = "sasl.kerberos.principal.to.local.rules"


@pytest.fixture(scope="module")
def kdc(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kdc]:
    kdc = Kdc(tmp_path_factory.mktemp("kdc")).start()
    try:
        with mock.patch.dict(os.environ, kdc.env):
            yield kdc
    finally:
        kdc.close()


def settings(keytab: Path, principal: str = "kafka/localhost") -> dict[str, str]:
    return {
        "listener.security.protocol.map": PROTOCOLS,
        "sasl.enabled.mechanisms": "GSSAPI,PLAIN",
        "sasl.kerberos.service.name": "kafka",
        RULES: f"RULE:[1:$1@$0](Al.*@{REALM})s/@.*//L,RULE:[1:$1]",
        "authorizer.class.name": "kafka.security.authorizer.AclAuthorizer",
        "super.users": "User:alberta",
        "listener.name.login.gssapi.sasl.jaas.config": jaas(principal, keytab),
        "listener.name.login.plain.sasl.jaas.config": "org.apache.kafka.common.security.plain."
        'PlainLoginModule required user_x="y";',
    }


@pytest.fixture(scope="module")
def broker(kdc: Kdc, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LoginBroker]:
    keytab = kdc.keytab("kafka/localhost")
    broker = LoginBroker(tmp_path_factory.mktemp("broker") / "data", settings(keytab))
    broker.start()
    try:
        yield broker
    finally:
        broker.close()


@pytest.fixture(scope="module")
def alice(kdc: Kdc) -> Path:
    return kdc.keytab("alice", "Alberta")


LIST = ("topics", "list")


def ask(
    broker: LoginBroker,
    line: str,
    *more: str,
    host: str = "localhost",
    command: Sequence[str] = LIST,
) -> Said:
    words = ["-X", "security.protocol=SASL_PLAINTEXT", "-X", f"sasl.jaas.config={line}"]
    words += ["-X", "sasl.kerberos.service.name=kafka", *more]
    return pko(*command, "-b", f"{host}:{broker.login_port}", *words)


def refused(said: Said) -> str:
    assert said.code == 3, said
    (line,) = said.err.splitlines()
    return line


def test_who_has_a_key_or_a_ticket_gets_in(kdc: Kdc, broker: LoginBroker, alice: Path) -> None:
    assert ask(broker, jaas("alice", alice)).code == 0
    assert ask(broker, jaas("alice", alice), host="127.0.0.1").code == 0
    ticket = kdc.ticket("alice", alice, "alice")
    assert ask(broker, cached(ticket)).code == 0
    with mock.patch.dict(os.environ, KRB5CCNAME=f"FILE:{ticket}"):
        assert ask(broker, module({"useTicketCache": "true"})).code == 0
    both = {"useTicketCache": "true", "ticketCache": "/nowhere"}
    assert ask(broker, jaas("alice", alice, **both)).code == 0


def test_the_krb5_conf_of_a_jvm_counts(kdc: Kdc, broker: LoginBroker, alice: Path) -> None:
    conf = {"KRB5_CONFIG": "/nowhere", "KAFKA_OPTS": f"-Djava.security.krb5.conf={kdc.conf}"}
    with mock.patch.dict(os.environ, conf):
        assert ask(broker, jaas("alice", alice)).code == 0


def test_rules_make_users_of_principals(kdc: Kdc, broker: LoginBroker, alice: Path) -> None:
    assert ask(broker, jaas("Alberta", alice), command=("acls", "list")).code == 0
    other = ask(broker, jaas("alice", alice), command=("acls", "list"))
    assert "this login needs describe on the cluster" in other.err
    admin = kdc.keytab("joe/admin")
    line = refused(ask(broker, jaas("joe/admin", admin)))
    assert "refuses the login of joe/admin@EXAMPLE.COM by GSSAPI" in line
    log = broker.log.read_text()
    assert "no user's name for joe/admin@EXAMPLE.COM: No rules apply" in log


def test_each_failure_is_one_line_that_says_what_to_do(
    kdc: Kdc, broker: LoginBroker, alice: Path
) -> None:
    short = kdc.ticket("alice", alice, "short", "-l", "1s")
    at_nowhere = kdc.write_conf(kdc.directory / "nowhere.conf", free_port())
    wrong = ("-X", "sasl.kerberos.service.name=kafkaesque")
    cases: list[tuple[str, tuple[str, ...], str]] = [
        (module({"useTicketCache": "true", "ticketCache": "/nowhere"}), (), "there is no ticket"),
        (module({"useTicketCache": "true"}), (), "kinit gets a ticket"),
        (jaas("alice", alice), wrong, "is sasl.kerberos.service.name right"),
        (jaas("nobody", alice), (), "no key of that principal in the keytab"),
    ]
    for line, more, words in cases:
        assert words in refused(ask(broker, line, *more))
    with mock.patch.dict(os.environ, KRB5_CONFIG=str(at_nowhere)):
        assert "is the KDC of krb5.conf up?" in refused(ask(broker, jaas("alice", alice)))
    wait_for(lambda: ask(broker, cached(short)).code, what="the ticket to end")
    assert "kinit gets a new ticket" in refused(ask(broker, cached(short)))


def test_a_clock_that_is_wrong_is_named(kdc: Kdc, broker: LoginBroker, alice: Path) -> None:
    with mock.patch.dict(os.environ, LD_PRELOAD=faketime(), FAKETIME="-20m"):
        line = refused(ask(broker, jaas("alice", alice)))
    assert "the clocks of this machine, the KDC and the broker differ" in line


def test_a_broker_whose_clock_is_wrong_says_so(kdc: Kdc, broker: LoginBroker, alice: Path) -> None:
    with mock.patch.dict(os.environ, LD_PRELOAD=faketime(), FAKETIME="+20m"):
        late = LoginBroker(broker.data_dir.parent / "late", settings(kdc.keytab("kafka/localhost")))
        late.start()
    try:
        assert "by GSSAPI" in refused(ask(late, jaas("alice", alice)))
        assert "Clock skew too great" in late.log.read_text()
    finally:
        late.close()


def test_a_broker_that_lacks_what_it_needs_does_not_start(kdc: Kdc, tmp_path: Path) -> None:
    made = settings(tmp_path / "none")
    code, said = LoginBroker(tmp_path / "data", made).start_refused()
    assert code != 0
    assert "listener LOGIN: the keytab" in said
    assert "cannot be read: No such file" in said
    assert "Traceback" not in said


def test_each_thing_that_a_listener_lacks_is_told(kdc: Kdc) -> None:
    jaas_name = "listener.name.login.gssapi.sasl.jaas.config"
    keytab = kdc.keytab("kafka/other")
    cases = [
        ({jaas_name: jaas("kafka", keytab)}, "is SERVICE/HOST@REALM"),
        ({jaas_name: jaas("kafka/third", keytab)}, "kafka/third"),
        ({jaas_name: module({"useTicketCache": "true"})}, "needs useKeyTab, keyTab and principal"),
        ({jaas_name: module({})}, 'set useKeyTab="true"'),
        ({"sasl.kerberos.service.name": ""}, "No serviceName defined in either JAAS or Kafka"),
        ({RULES: "RULE:[1:$1"}, "Invalid rule: RULE:[1:$1"),
    ]
    sources = LoginSources(LoginModules({}), ScramCredentials(), b"secret")
    for wrong, words in cases:
        made = BrokerConfigs({**settings(keytab, "kafka/other"), **wrong})
        with pytest.raises(SettingError) as caught:
            offer_of(ListenerConfigs(made, "LOGIN"), "SASL_PLAINTEXT", sources)
        assert words in str(caught.value)
        assert "\n" not in str(caught.value)
