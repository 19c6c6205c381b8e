"""The credentials that logins by SCRAM are checked with follow the tree."""

from __future__ import annotations

from pykafka_ops.broker.state.logins.credentials import ScramCredentials
from pykafka_ops.settings.scram import Credential

ONE = Credential(b"s", b"k", b"v", 4096)


def test_a_user_has_what_its_settings_say_last() -> None:
    known = ScramCredentials()
    assert known.changed("alice", {"SCRAM-SHA-256": ONE.text(), "producer_byte_rate": "1"}) == []
    assert known.find("SCRAM-SHA-256", "alice") == ONE
    assert known.find("SCRAM-SHA-512", "alice") is None
    assert known.find("SCRAM-SHA-256", "bob") is None
    assert known.changed("alice", {}) == []
    assert known.find("SCRAM-SHA-256", "alice") is None


def test_a_credential_that_cannot_be_read_is_none() -> None:
    known = ScramCredentials()
    known.changed("alice", {"SCRAM-SHA-256": ONE.text()})
    broken = {"SCRAM-SHA-256": "salt=?", "SCRAM-SHA-512": ONE.text()}
    assert known.changed("alice", broken) == ["SCRAM-SHA-256"]
    assert known.find("SCRAM-SHA-256", "alice") is None
    assert known.find("SCRAM-SHA-512", "alice") == ONE
