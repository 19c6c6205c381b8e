"""Every login into an Apache Kafka that wants a certificate, a login and rights: by every form of
store, from every place where a login may stand; what fails is named at the first try."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.process import certificates
from tests.support.process.console import PATIENT
from tests.support.process.every_way import ADMIN, LOGINS, SECRET, prefix_of
from tests.support.process.lines import Lines
from tests.support.process.secured_clients import SECRETS, SecuredClients

pytestmark = [
    pytest.mark.java,
    pytest.mark.slow,
    pytest.mark.skipif(bool(certificates.missing()), reason=certificates.missing() or ""),
]


def reach(secured_kafka: SecuredClients, file: Path, words: str) -> tuple[str, ...]:
    return (*words.split(), "-b", secured_kafka.where, "--command-config", str(file))


@pytest.mark.parametrize("name", [each for each in LOGINS if each != "token"])
def test_every_form_of_store_goes_with_every_login(
    secured_kafka: SecuredClients, lines: Lines, name: str
) -> None:
    login = secured_kafka.kafka.login(name)
    assert login is not None
    topic = prefix_of(login.name) + "stores"
    wrong = []
    for form, more in secured_kafka.stores().items():
        file = secured_kafka.file("login", login, **more)
        said = lines(*reach(secured_kafka, file, f"produce {topic} --create"), text="a record\n")
        listed = lines(*reach(secured_kafka, file, "topics list -o name"))
        if said.code or listed.out != f"{topic}\n":
            wrong.append(f"{form}: {said.err}{listed.err}")
    assert not wrong, "\n".join(wrong)


def test_a_delegation_token_is_a_login_but_for_records(
    secured_kafka: SecuredClients, lines: Lines
) -> None:
    file = secured_kafka.file("login", secured_kafka.kafka.login("token"))
    assert lines(*reach(secured_kafka, file, "topics list")).code == 0
    said = lines(*reach(secured_kafka, file, "consume orders -n 1"))
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert "takes no delegation tokens" in said.err


def test_who_may_read_a_topic_but_not_as_that_group_hears_of_the_group(
    secured_kafka: SecuredClients, lines: Lines
) -> None:
    login = secured_kafka.kafka.login("PLAIN")
    assert login is not None
    file = secured_kafka.file("login", login)
    topic = prefix_of(login.name) + "group"
    made = lines(*reach(secured_kafka, file, f"produce {topic} --create"), text="a record\n")
    assert made.code == 0, made.err
    read = f"{topic} --from-beginning"
    said = lines(*reach(secured_kafka, file, f"consume {read} -n 1 --group {topic}"))
    assert (said.code, said.out) == (0, "a record\n"), said.err
    said = lines(*reach(secured_kafka, file, f"consume {read} -n 1 --group closed"))
    right = "closed: not allowed: this login needs read on the group"
    assert (said.code, said.err) == (3, f"pko: {right} [GROUP_AUTHORIZATION_FAILED]\n")


MISTAKES = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", "token")
ADMIN_LINES, RECORD_LINES = ("topics list", "groups list"), ("consume orders", "produce orders")
WHY = {"OAUTHBEARER": "its token ended at", "token": "has the token ended"}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_login_that_does_not_count_is_named_at_the_first_try(
    secured_kafka: SecuredClients, lines: Lines, name: str
) -> None:
    file = secured_kafka.file("login", secured_kafka.kafka.wrong_login(name))
    for line in ADMIN_LINES if name == "token" else (*ADMIN_LINES, *RECORD_LINES):
        said = lines(*reach(secured_kafka, file, f"{line} --debug"), text="v\n")
        assert said.code == 3, said.told
        assert "refuses the login of" in said.err
        assert WHY.get(name, "") in said.err
        assert (said.time_outs, said.paused, said.connections) == (0, 0, 1), said
        assert not said.leaks(SECRETS)


@pytest.mark.parametrize("line", ["topics list", "groups list", "transactions list"])
def test_an_empty_list_says_that_the_login_may_not_see_all(
    secured_kafka: SecuredClients, lines: Lines, line: str
) -> None:
    file = secured_kafka.file("login", secured_kafka.kafka.login("token"))
    said = lines(*reach(secured_kafka, file, line))
    assert said.err == f"pko: no {line.split()[0]} that this login may see\n"


def test_a_provider_that_gives_no_token_is_named_at_once(
    secured_kafka: SecuredClients, lines: Lines
) -> None:
    login = secured_kafka.kafka.login("OAUTHBEARER")
    assert login is not None
    file = secured_kafka.file("login", login._replace(secret="not it"))
    for line in ("topics list", "consume orders", "produce orders"):
        said = lines(*reach(secured_kafka, file, line), text="v\n")
        assert (said.code, said.err.count("\n")) == (3, 1), said.err
        assert "HTTP status 401" in said.err


def test_logins_of_a_jaas_file_and_of_config_providers_count(
    secured_kafka: SecuredClients, lines: Lines, tmp_path: Path
) -> None:
    file = secured_kafka.file("no-login", sasl_jaas_config="")
    with_provider = tmp_path / "provider.properties"
    line = f'x.PlainLoginModule required username="{ADMIN}" password="${{env:WORD}}";'
    with_provider.write_text(
        file.read_text() + "config.providers=env\nconfig.providers.env.class="
        "org.apache.kafka.common.config.provider.EnvVarConfigProvider\n"
        f"sasl.jaas.config={line}\n"
    )
    jaas = tmp_path / "jaas.conf"
    module = "org.apache.kafka.common.security.plain.PlainLoginModule"
    jaas.write_text(f'KafkaClient {{ {module} required username="{ADMIN}" password="{SECRET}"; }};')
    for path, env in (
        (file, {"KAFKA_OPTS": f"-Djava.security.auth.login.config={jaas}"}),
        (with_provider, {"WORD": SECRET}),
    ):
        for line in ("topics list", "consume orders --from-beginning -n 1"):
            said = lines(*reach(secured_kafka, path, line), env={**PATIENT, **env})
            assert said.code == 0, said.err
