"""How a client gets into a secured Apache Kafka: its settings with every form of store, as a file
and as a profile; and every mistake that keeps it outside."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from pykafka_ops.security.keystores import read_store
from tests.support.clients.entries import Login, java
from tests.support.process.certificates import PASSWORD
from tests.support.process.console import pko
from tests.support.process.every_way import ADMIN, SECRET, SHUT, EveryWay, every_way, user_of
from tests.support.process.secured_lines import GROUP, TOPIC

WAY = "SASL_MTLS"
ROOT = Login("PLAIN", ADMIN, SECRET)
NOBODY = Login("PLAIN", user_of("", "token"), SECRET)
"""Who may nothing outside of its own topics."""
SECRETS = (SECRET, PASSWORD)
WRONG = "a wrong word"
FORMS = ("PKCS12", "JKS", "PEM", "encrypted PEM", "PEM in the settings", "profile")


class Mistake(NamedTuple):
    """A way with a login that leads nowhere, and what a command says of it. ``trusts`` the
    authority of the brokers; ``shows`` its own certificate, one that others signed, or none."""

    said: str
    way: str = WAY
    login: Login = ROOT
    trusts: bool = True
    shows: str = "own"


MISTAKES = {
    "another authority": Mistake("its certificate is not trusted", trusts=False),
    "expired": Mistake("certificate has expired", "EXPIRED"),
    "another host": Mistake("its certificate is for another host", "ELSEWHERE"),
    "no certificate": Mistake("wants a certificate of the client: set ssl.keystore", shows=""),
    "a stranger's certificate": Mistake("does the broker not trust who signed it?",
                                        shows="others"),
    "mechanism": Mistake("does not take sasl.mechanism PLAIN; it takes: SCRAM-SHA-256",
                         "SCRAM_ONLY"),
    "password": Mistake("Authentication failed: Invalid username or password",
                        login=ROOT._replace(secret=WRONG)),
}  # fmt: skip


class SecuredClients:
    """Of one Apache Kafka, ``kafka``. Files lie in ``directory``."""

    def __init__(self, kafka: EveryWay, directory: Path) -> None:
        self.kafka, self.directory = kafka, directory

    @property
    def where(self) -> str:
        return self.kafka.where(WAY)

    def file(self, name: str, login: Login | None = ROOT, **more: str) -> Path:
        """A file of settings with that name; ``more`` with _ for dots, "" takes one away."""
        found = java(self.kafka.entry(WAY, login)) | {
            k.replace("_", "."): v for k, v in more.items()
        }
        return self._written(name, found)

    def wrong(self, name: str) -> tuple[str, Path]:
        """Where the mistake of that name is made, and the file with it."""
        mistake = MISTAKES[name]
        entry = self.kafka.entry(mistake.way, mistake.login)
        if not mistake.trusts:
            entry = entry._replace(authority=self.kafka.stranger)
        if mistake.shows != "own":
            entry = entry._replace(key=self.kafka.false_key if mistake.shows else None)
        return entry.where, self._written(name, java(entry))

    def _written(self, name: str, settings: Mapping[str, str]) -> Path:
        kept = {k: v for k, v in settings.items() if v and k != "bootstrap.servers"}
        path = self.directory / f"{name}.properties"
        path.touch(0o600)
        path.write_text("".join(f"{k}={v}\n" for k, v in kept.items()))
        return path

    def stores(self) -> dict[str, dict[str, str]]:
        """Settings of each form of store that a file of settings names or holds."""
        authority, key = self.kafka.authority, self.kafka.key
        pem = read_store(str(key), "", keys=True)
        at = pem.index("-----BEGIN CERTIFICATE-----")
        trust = {"ssl_truststore_password": PASSWORD}
        none = {"ssl_keystore_password": "", "ssl_key_password": "", "ssl_keystore_type": "PEM"}
        sealed = {"ssl_keystore_location": str(authority.encrypted(key))}
        return {
            "PKCS12": trust
            | {
                "ssl_truststore_type": "PKCS12",
                "ssl_truststore_location": str(authority.pkcs12(authority.ca, keys=False)),
            },
            "JKS": trust
            | {
                "ssl_keystore_type": "JKS",
                "ssl_keystore_location": str(self._jks("-importkeystore", *self._of_p12())),
                "ssl_truststore_type": "JKS",
                "ssl_truststore_location": str(self._jks("-importcert", "-file", authority.ca)),
            },
            "PEM": none | {"ssl_keystore_location": str(key)},
            "encrypted PEM": none | sealed | {"ssl_key_password": PASSWORD},
            "PEM in the settings": none
            | {
                "ssl_keystore_location": "",
                "ssl_keystore_key": pem[:at].replace("\n", "\\n"),
                "ssl_keystore_certificate_chain": pem[at:].replace("\n", "\\n"),
                "ssl_truststore_location": "",
                "ssl_truststore_certificates": authority.ca.read_text().replace("\n", "\\n"),
            },
        }

    def _of_p12(self) -> tuple[object, ...]:
        key = self.kafka.authority.pkcs12(self.kafka.key)
        return ("-srckeystore", key, "-srcstoretype", "PKCS12", "-srcstorepass", PASSWORD,
                "-deststoretype", "JKS", "-deststorepass", PASSWORD)  # fmt: skip

    def _jks(self, what: str, *words: object) -> Path:
        path = self.directory / f"{what.strip('-')}.jks"
        if not path.exists():
            to = "-destkeystore" if what == "-importkeystore" else "-keystore"
            argv = ["keytool", what, *words, to, path, "-noprompt"]
            if what == "-importcert":
                argv += ["-storetype", "JKS", "-storepass", PASSWORD, "-alias", "ca"]
            subprocess.run(argv, check=True, capture_output=True)
        return path

    def profile(self) -> dict[str, str]:
        """The environment with a profile that names its secrets' places only: a command, a
        variable, a file."""
        key = self.kafka.authority.encrypted(self.kafka.key)
        (self.directory / "word").write_text(f"{SECRET}\n")
        (self.directory / "config.toml").write_text(
            f'[profiles.p]\nbootstrap-server = "{self.where}"\n'
            f'[profiles.p.settings]\n"security.protocol" = "SASL_SSL"\n"sasl.mechanism" = "PLAIN"\n'
            f'"ssl.truststore.location" = "{self.kafka.authority.ca}"\n'
            f'"ssl.keystore.location" = "{key}"\n"ssl.key.password" = {{ env = "KEY_WORD" }}\n'
            f'"socket.connection.setup.timeout.ms" = 60000\n'
            f'[profiles.p.login]\nuser = "{ADMIN}"\n'
            f"password = {{ command = \"cat '{self.directory / 'word'}'\" }}\n"
        )
        config = str(self.directory / "config.toml")
        return {"PKO_CONFIG": config, "PKO_PROFILE": "p", "KEY_WORD": PASSWORD}


@contextmanager
def secured_clients(directory: Path) -> Iterator[SecuredClients]:
    """A fresh Apache Kafka with a record in ``TOPIC``, which ``GROUP`` has read. It answers at once
    to a login that fails."""
    (directory / "clients").mkdir()
    settings = {"connection.failed.authentication.delay.ms": 0}
    with every_way(directory, "apache", settings, doors=SHUT) as kafka:
        made = SecuredClients(kafka, directory / "clients")
        reach = ("-b", made.where, "--command-config", str(made.file("admin")))
        read = ("--group", GROUP, "--from-beginning", "-n", "1")
        for words in (("topics", "create", TOPIC), ("produce", TOPIC), ("consume", TOPIC, *read)):
            said = pko(*words, *reach, text="a record\n")
            assert said.returncode == 0, said.stderr
        yield made
