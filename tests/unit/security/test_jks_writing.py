"""JKS stores that are written are read as they were meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.errors import TlsSettingError
from pykafka_ops.security import jks
from pykafka_ops.security.jks_writing import key_store, trust_store


@given(st.binary(min_size=1, max_size=3000), st.binary(max_size=300))
def test_a_key_comes_back_with_its_password_alone(key: bytes, certificate: bytes) -> None:
    (entry,) = jks.entries(key_store("Alice", key, [certificate, b"ca"], "changeit"), "changeit")
    assert (entry.alias, entry.certificates) == ("alice", [certificate, b"ca"])
    assert entry.key is not None
    assert jks.private_key(entry.key, "changeit") == key
    with pytest.raises(TlsSettingError, match="wrong password"):
        jks.private_key(entry.key, "another")


def test_a_trusted_certificate_comes_back() -> None:
    store = trust_store("ca", b"der", "changeit")
    assert jks.trusted_certificates(store, "changeit") == [b"der"]
    with pytest.raises(TlsSettingError, match="wrong password"):
        jks.entries(store, "another")
