"""Every command into an Apache Kafka that wants a certificate, a login and rights; every form of
store and every login; what fails is named at the first try."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from pykafka_ops.commands import ROWS
from pykafka_ops.security.keystores import read_store
from tests.support.clients.entries import Login, java
from tests.support.golden.transcripts import Said, run_patiently
from tests.support.process import certificates
from tests.support.process.certificates import PASSWORD
from tests.support.process.console import PATIENT, pko
from tests.support.process.every_way import ADMIN, LOGINS, SECRET, EveryWay, every_way, prefix_of
from tests.support.process.monitor import MonitorProcess
from tests.support.waiting import wait_for

pytestmark = [
    pytest.mark.java,
    pytest.mark.slow,
    pytest.mark.skipif(bool(certificates.missing()), reason=certificates.missing() or ""),
]
WAY = "SASL_MTLS"
LINES = {
    "topics": ("topics list -o name", "orders"),
    "groups": ("groups list -o json", '"items"'),
    "transactions": ("transactions list -o json", '"items"'),
    "get-offsets": ("get-offsets orders", "orders"),
    "log-dirs": ("log-dirs describe -o json", '"items"'),
    "reassign-partitions": ("reassign-partitions list -o json", '"items"'),
    "leader-election": ("leader-election list -o json", '"items"'),
    "delete-records": ("delete-records orders --before 0 --yes", "orders"),
    "api-versions": ("api-versions", "Metadata"),
    "configs": ("configs describe topics orders --all", "retention.ms"),
    "acls": ("acls list", "SCRAM-SHA-256-user"),
    "users": ("users list", "SCRAM-SHA-512-user"),
    "tokens": ("tokens list -o json", '"items"'),
    "certs": ("certs expiry", "CN=broker"),
    "produce": ("produce orders", "1 record"),
    "consume": ("consume orders --from-beginning --max-messages 1", "a record"),
    "cluster": ("cluster status -o json", "under_replicated"),
    "smoke": ("smoke --read-only", "metadata"),
}
"""A line of each command that asks brokers, and what is in its answer."""
ELSEWHERE = {
    "dump-log": "files", "broker": "ours", "zookeeper": "ZooKeeper", "completion": "no cluster",
    "zookeeper-acls": "ZooKeeper", "monitor": "runs on: a test of its own",
    "spark": "tests/cli/test_security.py", "top": "a terminal: it asks as the monitor does",
}  # fmt: skip


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EveryWay]:
    with ExitStack() as after:
        made = after.enter_context(every_way(tmp_path_factory.mktemp("secured"), "apache"))
        file = settings(made, Login("PLAIN", ADMIN, SECRET), tmp_path_factory.mktemp("admin"))
        assert into(made, file, "topics", "create", "orders").code == 0
        said = pko(*reach(made, file, "produce", "orders"), text="a record\n")
        assert said.returncode == 0, said.stderr
        yield made


def settings(kafka: EveryWay, login: Login | None, directory: Path, **more: str) -> Path:
    """A file of client settings; ``more`` with _ for dots."""
    found = java(kafka.entry(WAY, login)) | {k.replace("_", "."): v for k, v in more.items()}
    del found["bootstrap.servers"]
    text = "".join(f"{k}={v}\n" for k, v in found.items() if v)
    path = directory / f"{login.mechanism if login else 'none'}-{len(list(directory.iterdir()))}"
    path.write_text(text)
    return path


def reach(kafka: EveryWay, file: Path, *words: str) -> tuple[str, ...]:
    return (*words, "-b", kafka.where(WAY), "--command-config", str(file))


def into(kafka: EveryWay, file: Path, *words: str) -> Said:
    return run_patiently(*reach(kafka, file, *words))


def test_every_command_has_a_line_here() -> None:
    assert {row.name for row in ROWS} == {*LINES, *ELSEWHERE}


@pytest.fixture
def profile(kafka: EveryWay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """One that names its secrets' places only: a command, a variable, a file."""
    key = kafka.authority.encrypted(kafka.key)
    (tmp_path / "word").write_text(f"{SECRET}\n")
    (tmp_path / "config.toml").write_text(
        f'[profiles.p]\nbootstrap-server = "{kafka.where(WAY)}"\n'
        f'[profiles.p.settings]\n"security.protocol" = "SASL_SSL"\n"sasl.mechanism" = "PLAIN"\n'
        f'"ssl.truststore.location" = "{kafka.authority.ca}"\n'
        f'"ssl.keystore.location" = "{key}"\n"ssl.key.password" = {{ env = "KEY_WORD" }}\n'
        f'"socket.connection.setup.timeout.ms" = 60000\n'
        f'[profiles.p.login]\nuser = "{ADMIN}"\n'
        f"password = {{ command = \"cat '{tmp_path / 'word'}'\" }}\n"
    )
    monkeypatch.setenv("KEY_WORD", PASSWORD)
    return str(tmp_path / "config.toml")


def test_every_command_gets_in_by_a_profile_and_shows_no_secret(profile: str) -> None:
    wrong = []
    for line, wanted in LINES.values():
        said = pko(*line.split(), "--profile", "p", "--debug", text="a record\n",
                   env={"PKO_CONFIG": profile})  # fmt: skip
        told = (said.stdout + said.stderr).decode()
        if said.returncode or wanted not in told:
            wrong.append(f"{line}: exit code {said.returncode}: {told[-300:]}")
        wrong += [f"{line}: shows {word}" for word in (SECRET, PASSWORD) if word in told]
    assert not wrong, "\n".join(wrong)


def test_a_monitor_gets_in_by_a_file_of_settings(kafka: EveryWay, tmp_path: Path) -> None:
    file = settings(kafka, Login("PLAIN", ADMIN, SECRET), tmp_path)
    with MonitorProcess(*reach(kafka, file)) as monitor:
        wait_for(lambda: "orders" in monitor.get("/metrics")[1], what="a topic is seen")
        argv = Path(f"/proc/{monitor.process.pid}/cmdline").read_bytes()
    assert SECRET.encode() not in argv


def forms(kafka: EveryWay) -> dict[str, dict[str, str]]:
    """Settings of each form of store, by its name."""
    key, directory = kafka.key, kafka.authority.directory
    pem = read_store(str(key), "", keys=True)
    at = pem.index("-----BEGIN CERTIFICATE-----")
    p12, jks = kafka.authority.pkcs12(key), directory / "client.jks"
    if not jks.exists():
        argv = ["keytool", "-importkeystore", "-srckeystore", p12, "-srcstoretype", "PKCS12",
                "-srcstorepass", PASSWORD, "-destkeystore", jks, "-deststoretype", "JKS",
                "-deststorepass", PASSWORD, "-noprompt"]  # fmt: skip
        subprocess.run(argv, check=True, capture_output=True)
    none = {"ssl_keystore_password": "", "ssl_key_password": "", "ssl_keystore_type": "PEM"}
    one_line = {"ssl_keystore_location": ""} | none
    return {
        "PKCS12": {},
        "JKS": {"ssl_keystore_type": "JKS", "ssl_keystore_location": str(jks)},
        "PEM": none | {"ssl_keystore_location": str(key)},
        "encrypted PEM": none
        | {
            "ssl_keystore_location": str(kafka.authority.encrypted(key)),
            "ssl_key_password": PASSWORD,
        },
        "PEM in the settings": one_line
        | {
            "ssl_keystore_key": pem[:at].replace("\n", "\\n"),
            "ssl_keystore_certificate_chain": pem[at:].replace("\n", "\\n"),
        },
    }


@pytest.mark.parametrize("name", [each for each in LOGINS if each != "token"])
def test_every_form_of_store_goes_with_every_login(
    kafka: EveryWay, tmp_path: Path, name: str
) -> None:
    login = kafka.login(name)
    assert login is not None
    topic = prefix_of(login.name) + "stores"
    wrong = []
    for form, more in forms(kafka).items():
        file = settings(kafka, login, tmp_path, **more)
        said = pko(*reach(kafka, file, "produce", topic, "--create"), text="a record\n")
        listed = into(kafka, file, "topics", "list", "-o", "name")
        if said.returncode or listed.stdout != f"{topic}\n":
            wrong.append(f"{form}: {said.stderr.decode()}{listed.stderr}")
    assert not wrong, "\n".join(wrong)


def test_a_delegation_token_is_a_login_but_for_records(kafka: EveryWay, tmp_path: Path) -> None:
    file = settings(kafka, kafka.login("token"), tmp_path)
    assert into(kafka, file, "topics", "list").code == 0
    said = pko(*reach(kafka, file, "consume", "orders", "-n", "1"))
    assert (said.returncode, said.stderr.count(b"\n")) == (2, 1)
    assert b"takes no delegation tokens" in said.stderr


MISTAKES = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", "token")
WHY = {"OAUTHBEARER": "its token ended at", "token": "has the token ended"}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_login_that_does_not_count_is_named_at_the_first_try(
    kafka: EveryWay, tmp_path: Path, name: str
) -> None:
    file = settings(kafka, kafka.wrong_login(name), tmp_path)
    lines = ["topics list", "groups list"]
    lines += [] if name == "token" else ["consume orders", "produce orders"]
    for line in lines:
        said = pko(*reach(kafka, file, *line.split(), "--debug"), text="v\n")
        told = said.stderr.decode()
        assert said.returncode == 3, told
        assert "refuses the login of" in told
        assert WHY.get(name, "") in told
        assert told.count(f"trace: {kafka.where(WAY)} connected") <= 2, told
        assert SECRET not in told


@pytest.mark.parametrize("line", ["topics list", "groups list", "transactions list"])
def test_an_empty_list_says_that_the_login_may_not_see_all(
    kafka: EveryWay, tmp_path: Path, line: str
) -> None:
    file = settings(kafka, kafka.login("token"), tmp_path)
    said = into(kafka, file, *line.split())
    assert said.stderr == f"pko: no {line.split()[0]} that this login may see\n"


def test_a_provider_that_gives_no_token_is_named_at_once(kafka: EveryWay, tmp_path: Path) -> None:
    login = kafka.login("OAUTHBEARER")
    assert login is not None
    file = settings(kafka, login._replace(secret="not it"), tmp_path)
    for line in ("topics list", "consume orders", "produce orders"):
        said = pko(*reach(kafka, file, *line.split()), text="v\n")
        assert (said.returncode, said.stderr.count(b"\n")) == (3, 1), said.stderr
        assert b"HTTP status 401" in said.stderr


def test_logins_of_a_jaas_file_and_of_config_providers_count(
    kafka: EveryWay, tmp_path: Path
) -> None:
    file = settings(kafka, Login("PLAIN", ADMIN, SECRET), tmp_path, sasl_jaas_config="")
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
        for words in (("topics", "list"), ("consume", "orders", "--from-beginning", "-n", "1")):
            said = pko(*reach(kafka, path, *words), env={**PATIENT, **env})
            assert said.returncode == 0, said.stderr
