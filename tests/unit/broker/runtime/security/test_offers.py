"""What listeners take logins by, from settings and JAAS files; every mistake in one clear line."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from pykafka_ops.broker.runtime.security.login_modules import LoginModules
from pykafka_ops.broker.runtime.security.login_sources import LoginSources
from pykafka_ops.broker.runtime.security.offers import offer_of
from pykafka_ops.broker.state.configs.of_listener import ListenerConfigs
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.broker.state.logins.authenticator import Offer
from pykafka_ops.broker.state.logins.credentials import ScramCredentials
from pykafka_ops.broker.state.logins.dialogue import Heard, begun
from pykafka_ops.errors import LoginError, PkoError, SettingError
from pykafka_ops.security import sasl
from pykafka_ops.settings.scram import MECHANISMS, Credential

PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"
JAAS = "listener.name.inside.plain.sasl.jaas.config"
ENABLED = "sasl.enabled.mechanisms"


def offer(settings: dict[str, str], env: dict[str, str] | None = None) -> Offer:
    configs = ListenerConfigs(BrokerConfigs(settings), "INSIDE")
    sources = LoginSources(LoginModules(env or {}), ScramCredentials(), b"secret")
    return offer_of(configs, "SASL_PLAINTEXT", sources)


def lets_in(made: Offer, user: str, password: str) -> bool:
    talk = begun(made.mechanisms["PLAIN"])
    try:
        talk.send(Heard(f"\0{user}\0{password}".encode(), 0))
    except StopIteration:
        return True
    except LoginError:
        return False
    raise AssertionError("PLAIN is one message")


def test_users_of_plain_stand_in_the_setting_of_listener_and_mechanism() -> None:
    made = offer({ENABLED: "PLAIN", JAAS: f'{PLAIN} required user_alice="a \\"b" user_bob=c;'})
    assert list(made.mechanisms) == ["PLAIN"]
    assert lets_in(made, "alice", 'a "b')
    assert lets_in(made, "bob", "c")
    assert not lets_in(made, "alice", "c")


@pytest.mark.parametrize("section", ["KafkaServer", "inside.KafkaServer"])
def test_users_may_stand_in_the_jvms_file(tmp_path: Path, section: str) -> None:
    file = tmp_path / "jaas.conf"
    other = 'Client { X required user_alice="no"; };'
    file.write_text(f'{other} {section} {{ {PLAIN} required user_alice="yes"; }};')
    made = offer({ENABLED: "PLAIN"}, {"KAFKA_OPTS": f"-Djava.security.auth.login.config={file}"})
    assert lets_in(made, "alice", "yes")


def test_the_section_of_the_listener_wins_over_the_common_one(tmp_path: Path) -> None:
    file = tmp_path / "jaas.conf"
    file.write_text(
        f'KafkaServer {{ {PLAIN} required user_alice="common"; }};\n'
        f'inside.KafkaServer {{ {PLAIN} required user_alice="own"; }};\n'
    )
    env = {"KAFKA_OPTS": f"-Djava.security.auth.login.config={file}"}
    made = offer({ENABLED: "PLAIN"}, env)
    assert lets_in(made, "alice", "own")
    setting = {JAAS: f'{PLAIN} required user_alice="setting";'}
    assert lets_in(offer({ENABLED: "PLAIN", **setting}, env), "alice", "setting")


def test_mechanisms_of_a_listener_win_and_keep_their_order() -> None:
    made = offer(
        {
            ENABLED: "PLAIN",
            "listener.name.inside.sasl.enabled.mechanisms": "SCRAM-SHA-512, SCRAM-SHA-256",
            "connections.max.reauth.ms": "1000",
            "listener.name.inside.scram-sha-256.connections.max.reauth.ms": "50",
        }
    )
    assert list(made.mechanisms) == ["SCRAM-SHA-512", "SCRAM-SHA-256"]
    assert made.max_reauth_ms == {"SCRAM-SHA-512": 1000, "SCRAM-SHA-256": 50}


@pytest.mark.parametrize("name", MECHANISMS)
def test_users_of_scram_stand_in_the_tree(name: str) -> None:
    mechanism, known = MECHANISMS[name], ScramCredentials()
    salted = hashlib.pbkdf2_hmac(mechanism.digest, b"pencil", b"salt", 4096)
    known.changed("alice", {name: Credential.of(mechanism, salted, b"salt", 4096).text()})
    sources = LoginSources(LoginModules({}), known, b"secret")
    made = offer_of(ListenerConfigs(BrokerConfigs({ENABLED: name}), "X"), "SASL_PLAINTEXT", sources)
    talk, client = begun(made.mechanisms[name]), sasl.dialogue(name, "alice", "pencil", "n")
    last = client.send(talk.send(Heard(next(client), 0)))
    with pytest.raises(StopIteration) as done:
        talk.send(Heard(last, 0))
    assert done.value.value.name == "alice"


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({}, "listener INSIDE needs a login module for GSSAPI"),
        (
            {ENABLED: "KERBEROS"},
            "listener INSIDE: KERBEROS is not supported: set sasl.enabled.mechanisms to some of "
            "PLAIN, SCRAM-SHA-256",
        ),
        ({ENABLED: ""}, "sasl.enabled.mechanisms of listener INSIDE is empty"),
        ({ENABLED: "PLAIN"}, f"listener INSIDE needs a login module for PLAIN: set {JAAS}={PLAIN}"),
        (
            {ENABLED: "PLAIN", JAAS: f"{PLAIN} required user_a=secret"},
            "cannot be read: write it as",
        ),
        ({ENABLED: "PLAIN", JAAS: f'{PLAIN} required user_a="secret;'}, "cannot be read"),
        ({ENABLED: "PLAIN", JAAS: ""}, "contains 0 login modules, should be 1 module"),
        (
            {ENABLED: "PLAIN", JAAS: f"{PLAIN} required; {PLAIN} required;"},
            "contains 2 login modules, should be 1 module",
        ),
        (
            {ENABLED: "PLAIN", JAAS: "my.Module required user_a=secret;"},
            "my.Module is not supported",
        ),
        (
            {
                ENABLED: "PLAIN",
                "listener.name.inside.plain.sasl.server.callback.handler.class": "my.Handler",
            },
            "my.Handler is a Java class, which is not supported by this broker: remove it",
        ),
    ],
)
def test_what_cannot_be_done_is_said_at_the_start(settings: dict[str, str], text: str) -> None:
    with pytest.raises(SettingError) as failed:
        offer(settings)
    assert text in str(failed.value)
    assert "\n" not in str(failed.value)
    assert "secret" not in str(failed.value)


@pytest.mark.parametrize(("content", "text"), [(None, "cannot read"), ("KafkaServer {", "line 1")])
def test_a_file_that_cannot_be_read_is_named(
    tmp_path: Path, content: str | None, text: str
) -> None:
    file = tmp_path / "jaas.conf"
    if content is not None:
        file.write_text(content)
    with pytest.raises(PkoError, match=text) as failed:
        offer({ENABLED: "PLAIN"}, {"KAFKA_OPTS": f"-Djava.security.auth.login.config={file}"})
    assert str(file) in str(failed.value)
