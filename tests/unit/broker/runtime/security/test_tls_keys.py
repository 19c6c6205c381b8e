"""Keys of a listener: refused at a start, renewed while it runs, the old ones kept if need be."""

from __future__ import annotations

import logging
import shutil
from pathlib import Path

import pytest

from pykafka_ops.broker.runtime.security.tls_keys import ListenerKeys
from pykafka_ops.broker.state.configs.of_listener import ListenerConfigs
from pykafka_ops.broker.state.configs.running import BrokerConfigs
from pykafka_ops.errors import SettingError, TlsSettingError
from tests.support.process import certificates
from tests.support.process.certificates import Authority

pytestmark = pytest.mark.skipif(bool(certificates.missing()), reason=certificates.missing() or "")


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    found = Authority(tmp_path_factory.mktemp("authority"))
    for name, names in (("one", "DNS:a,DNS:b"), ("other", "DNS:a,DNS:b"), ("less", "DNS:a")):
        found.issue(name, names=names)
    return found


class Site:
    """A listener whose key store is a copy that can be replaced."""

    def __init__(self, directory: Path, authority: Authority, **more: str) -> None:
        self.authority = authority
        self.store = directory / "store.pem"
        self.put("one")
        settings = {
            "ssl.keystore.location": str(self.store),
            "ssl.truststore.location": str(authority.ca),
            **{name.replace("_", "."): text for name, text in more.items()},
        }
        self.configs = BrokerConfigs(settings)
        self.keys = ListenerKeys(ListenerConfigs(self.configs, "X"), "SSL", between_brokers=False)

    def put(self, name: str) -> None:
        shutil.copyfile(self.authority.directory / f"{name}.pem", self.store)

    def renewed(self) -> bool:
        """Whether the listener goes on with another context."""
        before = self.keys.now
        self.keys.renew()
        return self.keys.now is not before


def test_nothing_happens_while_nothing_changes(tmp_path: Path, authority: Authority) -> None:
    site = Site(tmp_path, authority)
    site.keys.load()
    assert site.keys.now.owner == "CN=one"
    assert not site.renewed()


def test_a_file_that_has_changed_counts(tmp_path: Path, authority: Authority) -> None:
    site = Site(tmp_path, authority)
    site.keys.load()
    site.store.touch()
    assert site.renewed()
    assert not site.renewed()


def test_what_cannot_be_used_is_told_once_and_the_old_stays(
    tmp_path: Path, authority: Authority, caplog: pytest.LogCaptureFixture
) -> None:
    site = Site(tmp_path, authority)
    site.keys.load()
    with caplog.at_level(logging.ERROR):
        site.store.write_text("nothing")
        assert not site.renewed()
        assert not site.renewed()
        assert len(caplog.messages) == 1
        assert caplog.messages[0].startswith("listener X goes on with its old certificate: ")
        site.store.unlink()
        assert not site.renewed()
    assert "No such file" in caplog.messages[1]
    site.put("one")
    assert site.renewed()


@pytest.mark.parametrize(
    ("name", "setting", "text"),
    [
        ("other", "ssl.allow.dn.changes", "DistinguishedName does not match: existing=CN=one"),
        ("less", "ssl.allow.dn.changes", "DistinguishedName does not match"),
        ("less", "ssl.allow.san.changes", "SubjectAltNames do not match"),
    ],
)
def test_other_names_need_to_be_allowed(
    tmp_path: Path,
    authority: Authority,
    caplog: pytest.LogCaptureFixture,
    name: str,
    setting: str,
    text: str,
) -> None:
    other = {"ssl_allow_dn_changes": "true"} if "san" in setting else {}
    site = Site(tmp_path, authority, **other)
    site.keys.load()
    site.put(name)
    with caplog.at_level(logging.ERROR):
        assert not site.renewed()
    assert text in caplog.messages[0]
    both = {"ssl_allow_dn_changes": "true", "ssl_allow_san_changes": "true"}
    allowed = Site(tmp_path, authority, **both)
    allowed.keys.load()
    allowed.put(name)
    assert allowed.renewed()


def test_a_new_setting_is_checked_before_it_counts(tmp_path: Path, authority: Authority) -> None:
    site = Site(tmp_path, authority, ssl_allow_dn_changes="true")
    site.keys.load()
    name = "listener.name.x.ssl.keystore.location"
    bad = site.configs.with_broker({name: "/nowhere.pem"}, per_broker=True)
    with pytest.raises(TlsSettingError, match=r"/nowhere\.pem"):
        site.keys.check(ListenerConfigs(bad, "X"))
    good = {name: str(authority.directory / "other.pem")}
    site.keys.check(ListenerConfigs(site.configs.with_broker(good, per_broker=True), "X"))
    site.configs.set_dynamic_broker(good)
    assert site.renewed()
    assert site.keys.now.owner == "CN=other"


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"ssl_keystore_location": ""}, "ssl.keystore.location is needed"),
        ({"ssl_truststore_location": "/nowhere", "ssl_client_auth": "required"}, "/nowhere"),
        ({"ssl_principal_mapping_rules": "RULE:(/x/"}, "cannot use the pattern"),
        ({"ssl_enabled_protocols": "SSLv3"}, "TLSv1.2 or TLSv1.3 is needed"),
        ({"ssl_cipher_suites": "TLS_NO_WITH_X"}, "none that OpenSSL knows"),
    ],
)
def test_a_start_refuses_what_cannot_be_used(
    tmp_path: Path, authority: Authority, settings: dict[str, str], text: str
) -> None:
    with pytest.raises((SettingError, TlsSettingError), match=text):
        Site(tmp_path, authority, **settings).keys.load()


def test_a_listener_between_brokers_has_to_trust_itself(
    tmp_path: Path, authority: Authority
) -> None:
    stranger = Authority(tmp_path)
    for ca, works in ((authority.ca, True), (stranger.ca, False)):
        texts = {
            "ssl.keystore.location": str(authority.directory / "one.pem"),
            "ssl.truststore.location": str(ca),
            "ssl.client.auth": "required",
        }
        configs = ListenerConfigs(BrokerConfigs(texts), "X")
        keys = ListenerKeys(configs, "SSL", between_brokers=True)
        if works:
            keys.load()
            assert keys.now.client is not None
            assert keys.now.client.check_hostname
        else:
            with pytest.raises(TlsSettingError, match="not one that other brokers would trust"):
                keys.load()


def test_clients_that_log_in_need_a_certificate_only_where_their_listener_says_so(
    tmp_path: Path, authority: Authority, caplog: pytest.LogCaptureFixture
) -> None:
    texts = {
        "ssl.keystore.location": str(authority.directory / "one.pem"),
        "ssl.client.auth": "required",
    }
    configs = ListenerConfigs(BrokerConfigs(texts), "X")
    keys = ListenerKeys(configs, "SASL_SSL", between_brokers=False)
    with caplog.at_level(logging.WARNING):
        keys.load()
    assert keys.now.context.verify_mode.name == "CERT_NONE"
    assert "ssl.client.auth=required has no effect on listener X" in caplog.messages[0]
    own = {**texts, "listener.name.x.ssl.client.auth": "required"}
    keys = ListenerKeys(ListenerConfigs(BrokerConfigs(own), "X"), "SASL_SSL", between_brokers=False)
    keys.load()
    assert keys.now.context.verify_mode.name == "CERT_REQUIRED"
