import hashlib
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.errors import TlsSettingError
from pykafka_ops.security.jks import MAGIC, trusted_certificates
from tests.support.raising import raises_only

PASSWORD = "changeit"


def text(value: str) -> bytes:
    return struct.pack(">H", len(value)) + value.encode()


def certificate(der: bytes) -> bytes:
    return text("X.509") + struct.pack(">I", len(der)) + der


def store(*entries: bytes, password: str = PASSWORD) -> bytes:
    body = MAGIC + struct.pack(">II", 2, len(entries)) + b"".join(entries)
    salt = password.encode("utf-16-be") + b"Mighty Aphrodite"
    return body + hashlib.sha1(salt + body).digest()


def trusted(der: bytes) -> bytes:
    return struct.pack(">I", 2) + text("alias") + bytes(8) + certificate(der)


def key(chain: list[bytes]) -> bytes:
    head = struct.pack(">I", 1) + text("key") + bytes(8) + struct.pack(">I", 5) + b"crypt"
    return head + struct.pack(">I", len(chain)) + b"".join(certificate(c) for c in chain)


def test_certificates_are_read_and_keys_skipped() -> None:
    data = store(trusted(b"one"), key([b"mine", b"issuer"]), trusted(b"two"))
    assert trusted_certificates(data, PASSWORD) == [b"one", b"two"]


def test_a_wrong_password_is_told_and_none_is_allowed() -> None:
    data = store(trusted(b"one"))
    with pytest.raises(TlsSettingError, match="wrong password"):
        trusted_certificates(data, "other")
    assert trusted_certificates(data, "") == [b"one"]


@given(st.integers(0, 60), st.binary(max_size=4))
def test_a_damaged_store_is_an_error_never_a_crash(cut: int, junk: bytes) -> None:
    data = store(trusted(b"one"), key([b"mine"]))
    broken = data[: max(4, len(data) - cut)] + junk
    with raises_only(TlsSettingError):
        trusted_certificates(broken, "")
