"""Every command into a ZooKeeper that wants TLS, or a login: by every form of store, in both forms
of command lines. What fails is named at the first try."""

from __future__ import annotations

import ssl
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.memory.fake_broker import FakeBroker
from tests.support.process import certificates
from tests.support.process.certificates import PASSWORD, Authority
from tests.support.process.lines import Heard, Lines
from tests.support.process.secured import DIGEST, LOGIN_CONFIG, SECRET, SecuredZooKeeper

pytestmark = [
    pytest.mark.java,
    pytest.mark.skipif(bool(certificates.missing()), reason=certificates.missing() or ""),
]
SECRETS = (SECRET, PASSWORD, "not it")
NOBODY = {"PKO_PROFILE": "", "PKO_CONFIG": ""}
"""No more patience than a command has by itself."""
OF_CERTIFICATE, OF_LOGIN = "/kafka", "/login"
"""Trees, and whom they belong to."""
HIDDEN = "/config/users/alice"
TLS = "@"
"""Where the option stands that names the file with the settings of TLS, if not at the end."""


class Line(NamedTuple):
    """``wanted`` is in the answer; ``code``: where nobody lets us in; ``tls`` names the file."""

    words: str
    wanted: str
    code: int = 3
    tls: str = "--zk-tls-config-file"

    @property
    def command(self) -> str:
        return self.words.split()[0]

    def argv(self, where: str, file: Path | None) -> list[str]:
        found = []
        for word in (*self.words.split(), *([] if TLS in self.words else [TLS])):
            if word == TLS:
                found += [self.tls, str(file)] if file else []
            else:
                found.append(word.replace("WHERE", where))
        return found


AS_NOW = (
    Line("zookeeper get /config --zookeeper WHERE", "/config"),
    Line("zookeeper ls /config --zookeeper WHERE", "users"),
    Line("zookeeper tree /config --zookeeper WHERE", "users"),
    Line("zookeeper check /config --zookeeper WHERE", "0 bad"),
    Line(f"zookeeper shell --zookeeper WHERE {TLS} ls /config", "users"),
    Line("zookeeper-acls secure --zookeeper WHERE", "belong to this login now"),
)
AS_KAFKA = (
    Line("zookeeper-shell WHERE ls /config", "users", 1, "-zk-tls-config-file"),
    Line("kafka-configs --zookeeper WHERE --describe --entity-type users --entity-name alice",
         "Configs for user-principal 'alice' are", 1),
    Line("zookeeper-security-migration --zookeeper.connect WHERE --zookeeper.acl=secure", "", 1),
)  # fmt: skip
LINES = (*AS_NOW, *AS_KAFKA)
(SECURE,) = (line for line in AS_NOW if line.command == "zookeeper-acls")
MIGRATIONS = (SECURE, AS_KAFKA[-1])
"""These look by themselves whether there is a login, or a certificate."""


class Site:
    """``zookeeper`` with a tree of Kafka's that belongs to a login and a certificate, and doors
    whose TLS is wrong."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.zookeeper = SecuredZooKeeper(directory).start()
        (directory / "stranger").mkdir()
        self.stranger = Authority(directory / "stranger")
        authority = self.zookeeper.authority
        self.ended = self._door(authority.issue("ended", days=-1))
        self.elsewhere = self._door(authority.issue("elsewhere", names="DNS:elsewhere.example"))
        self.asking = self._door(authority.issue("asking"), asks=True)

    def _door(self, key: Path, *, asks: bool = False) -> FakeBroker:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(key)
        if asks:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(self.zookeeper.authority.ca)
        return FakeBroker(tls=context)

    def settings(self, name: str, **more: str) -> Path:
        """A file of settings of TLS with that name; ``more`` with _ for dots, "" takes one away."""
        changed = {f"zookeeper.ssl.{k.replace('_', '.')}": v for k, v in more.items()}
        path = self.directory / f"{name}.properties"
        path.touch(0o600)
        found = {**self.zookeeper.tls, **changed}
        path.write_text("".join(f"{k}={v}\n" for k, v in found.items() if v))
        return path

    def login(self, user: str, password: str) -> dict[str, str]:
        """The environment with a JAAS file."""
        path = self.directory / f"{user}.conf"
        path.touch(0o600)
        path.write_text(f'Client {{ {DIGEST} username="{user}" password="{password}"; }};\n')
        return {"KAFKA_OPTS": f"-D{LOGIN_CONFIG}={path}"}

    def close(self) -> None:
        for door in (self.ended, self.elsewhere, self.asking):
            door.close()
        self.zookeeper.close()


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lines]:
    made = Lines(tmp_path_factory.mktemp("lines") / "work")
    try:
        yield made
    finally:
        made.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, lines: Lines) -> Iterator[Site]:
    made = Site(tmp_path_factory.mktemp("zookeeper"))
    zookeeper = made.zookeeper
    try:
        for tree, where, file, env in (
            (OF_CERTIFICATE, zookeeper.secure_connect, made.settings("mine"), {}),
            (OF_LOGIN, zookeeper.connect, None, made.login("kafka", SECRET)),
        ):
            for path in (tree, *(f"{tree}{path}" for path in ("/config", "/config/users", HIDDEN))):
                create = ("zookeeper", "shell", "--zookeeper", zookeeper.connect, "create", path)
                assert lines(*create).code == 0
            said = lines(*SECURE.argv(f"{where}{tree}", file), env=env)
            assert said.code == 0, said.told
        yield made
    finally:
        made.close()


def stores(site: Site) -> dict[str, dict[str, str]]:
    """Settings of each form of store."""
    authority, directory = site.zookeeper.authority, site.directory
    key, none = directory / "client.pem", {"keystore_password": "", "keystore_type": "PEM"}
    jks, trust = directory / "client.jks", directory / "trust.jks"
    for argv in (
        ["-importkeystore", "-srckeystore", site.zookeeper.key_store, "-srcstoretype", "PKCS12",
         "-srcstorepass", PASSWORD, "-destkeystore", jks, "-deststoretype", "JKS",
         "-deststorepass", PASSWORD],
        ["-importcert", "-file", authority.ca, "-keystore", trust, "-storetype", "JKS",
         "-storepass", PASSWORD, "-alias", "ca"],
    ):  # fmt: skip
        subprocess.run(["keytool", "-noprompt", *argv], check=True, capture_output=True)
    return {
        "PKCS12": {"keystore_type": "PKCS12"},
        "JKS": {
            "keystore_type": "JKS", "keystore_location": str(jks),
            "truststore_type": "JKS", "truststore_location": str(trust),
            "truststore_password": PASSWORD,
        },
        "PEM": none | {"keystore_location": str(key)},
        "encrypted PEM": {
            "keystore_location": str(authority.encrypted(key)), "keystore_password": PASSWORD,
            "keystore_type": "PEM",
        },
    }  # fmt: skip


def answered(line: Line, heard: Heard) -> list[str]:
    found = [f"{line.words}: {leak}" for leak in heard.leaks(SECRETS)]
    if heard.code or line.wanted not in heard.told:
        found.append(f"{line.words}: exit code {heard.code}: {heard.told[-400:]}")
    return found


def test_every_command_gets_in_by_every_form_of_store(site: Site, lines: Lines) -> None:
    where, wrong = f"{site.zookeeper.secure_connect}{OF_CERTIFICATE}", []
    for form, more in stores(site).items():
        file = site.settings("store", **more)
        for line in LINES:
            heard = lines(*line.argv(where, file), *(["--debug"] if line in AS_NOW[:4] else []))
            wrong += [f"{form}: {text}" for text in answered(line, heard)]
    assert not wrong, "\n".join(wrong)


def test_every_command_gets_in_by_the_options_of_the_jvm(site: Site, lines: Lines) -> None:
    """A login, and TLS by ZooKeeper's own system properties."""
    tls = {
        "client.secure": "true",
        "ssl.keyStore.location": str(site.zookeeper.key_store),
        "ssl.keyStore.password": PASSWORD,
        "ssl.trustStore.location": str(site.zookeeper.authority.ca),
    }
    options = " ".join(f"-Dzookeeper.{name}={value}" for name, value in tls.items())
    wrong = []
    for where, env in (
        (f"{site.zookeeper.connect}{OF_LOGIN}", site.login("kafka", SECRET)),
        (f"{site.zookeeper.secure_connect}{OF_CERTIFICATE}", {"KAFKA_OPTS": options}),
    ):
        for line in LINES:
            wrong += answered(line, lines(*line.argv(where, None), env=env))
    assert not wrong, "\n".join(wrong)


def complaints(line: Line, heard: Heard, said: str) -> list[str]:
    """What is wrong with how a line failed: it says ``said``, and no time has run out."""
    found = [f"{line.words}: {leak}" for leak in heard.leaks(SECRETS)]
    if said not in heard.told or "within" in heard.told or heard.code != line.code:
        found.append(f"{line.words}: exit code {heard.code}: {heard.told[-400:]}")
    if line.code == 3 and (heard.err.count("\n") != 1 or heard.out):
        found.append(f"{line.words}: not one line: {heard.told}")
    return found


def shut_out(site: Site) -> dict[str, tuple[str, str, Path | None, Mapping[str, str]]]:
    """What is said, where, with which file and environment; by what is wrong."""
    good, secure = site.settings("good"), site.zookeeper.secure_connect
    nameless = site.settings("nameless", keystore_location="", keystore_password="")
    false = {"keystore_location": str(site.stranger.issue("client")), "keystore_password": ""}
    other = site.settings("other", truststore_location=str(site.stranger.ca))
    wants = "it wants a certificate of the client: set zookeeper.ssl.keystore.location"
    return {
        "another authority": ("its certificate is not trusted", secure, other, {}),
        "expired": ("certificate has expired", site.ended.bootstrap, good, {}),
        "another host": ("its certificate is for another host", site.elsewhere.bootstrap, good, {}),
        "all of several": ("its certificate", f"{site.ended.bootstrap},{site.elsewhere.bootstrap}",
                           good, {}),
        "no certificate": (wants, site.asking.bootstrap, nameless, {}),
        "a stranger's": ("it does not take our certificate", site.asking.bootstrap,
                         site.settings("false", **false), {}),
        "password": ("refuses the login of 'kafka'", site.zookeeper.connect, None,
                     site.login("kafka", "not it")),
    }  # fmt: skip


def test_what_keeps_every_command_outside_is_named_at_the_first_try(
    site: Site, lines: Lines
) -> None:
    wrong = []
    for name, (said, where, file, env) in shut_out(site).items():
        for line in LINES:
            if name == "no certificate" and line in MIGRATIONS:
                continue
            heard = lines(*line.argv(where, file), env={**NOBODY, **env})
            wrong += [f"{name}: {text}" for text in complaints(line, heard, said)]
    assert not wrong, "\n".join(wrong)


REFUSED = (
    (f"zookeeper get {HIDDEN} --zookeeper WHERE", 4, "not allowed to read it"),
    ("zookeeper ls /config/users --zookeeper WHERE", 1, "/config/users: not allowed to read it"),
    ("zookeeper tree /config --zookeeper WHERE", 0, "not allowed to read it"),
    ("zookeeper check /config --zookeeper WHERE", 4, "not allowed to read it"),
    ("zookeeper shell --zookeeper WHERE create /config/x", 1,
     "Insufficient permission : /config/x"),
    ("zookeeper-shell WHERE create /config/x", 1, "Insufficient permission : /config/x"),
    ("zookeeper-acls unsecure --zookeeper WHERE", 1, "/: this login may not change its ACL"),
    ("zookeeper-security-migration --zookeeper.connect WHERE --zookeeper.acl=unsecure", 1,
     "/: this login may not change its ACL"),
    ("kafka-configs --zookeeper WHERE --describe --entity-type users --entity-name alice", 1,
     f"NoAuth for {HIDDEN}"),
    ("kafka-configs --zookeeper WHERE --alter --entity-type users --entity-name alice "
     "--add-config SCRAM-SHA-256=[password=pass-word]", 1, f"NoAuth for {HIDDEN}"),
)  # fmt: skip


@pytest.mark.parametrize("user", ["other", ""])
def test_a_znode_that_belongs_to_others_is_named(site: Site, lines: Lines, user: str) -> None:
    env, wrong = site.login(user, "x") if user else {}, []
    for words, code, said in REFUSED:
        if not user and "secur" in words:
            continue
        line = Line(words, said)
        heard = lines(*line.argv(f"{site.zookeeper.connect}{OF_LOGIN}", None), env=env)
        if heard.code != code or said not in heard.told or heard.leaks(["pass-word"]):
            wrong.append(f"{words}: exit code {heard.code}: {heard.told[-400:]}")
    assert not wrong, "\n".join(wrong)
