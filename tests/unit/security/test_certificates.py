"""Names in certificates are those that Java shows."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.security.certificates import (
    alternative_names,
    from_pem,
    host_names,
    issuer,
    moment,
    name_text,
    subject,
    validity,
)
from pykafka_ops.security.der import Value
from tests.support.each import each
from tests.support.golden.certificates import GOLDEN, names
from tests.support.raising import raises_only


def broker() -> bytes:
    return from_pem((GOLDEN / "broker.pem").read_text())[0]


@each("name,text", names(), lambda case: case[1])
def test_every_name_is_written_as_java_writes_it(name: bytes, text: str) -> None:
    assert name_text(name) == text


def test_the_owner_of_a_certificate_is_who_java_says() -> None:
    expected = (GOLDEN / "subject.txt").read_text().strip()
    assert subject(broker()) == expected


def test_other_names_are_known_by_their_bytes() -> None:
    assert alternative_names(broker()) == {b"\x82\x09localhost", b"\x87\x04\x7f\x00\x00\x01"}
    authority = from_pem((GOLDEN / "ca.pem").read_text())[0]
    assert alternative_names(authority) == frozenset()


def test_hosts_signer_and_times_are_those_that_openssl_says() -> None:
    assert host_names(broker()) == ["localhost", "127.0.0.1"]
    authority = from_pem((GOLDEN / "ca.pem").read_text())[0]
    assert issuer(broker()) == issuer(authority) == subject(authority)
    begins, ends = validity(broker())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(GOLDEN / "ca.pem")
    (said,) = context.get_ca_certs()
    known = validity(authority)
    assert [ssl.cert_time_to_seconds(said[k]) * 1000 for k in ("notBefore", "notAfter")] == [*known]
    assert begins < ends


@pytest.mark.parametrize(
    ("tag", "text", "year"),
    [
        (0x17, b"491231235959Z", 2049),
        (0x17, b"500101000000Z", 1950),
        (0x18, b"20500101000000Z", 2050),
    ],
)
def test_years_of_two_digits_end_in_2049(tag: int, text: bytes, year: int) -> None:
    found = moment(Value(tag, text, b""))
    assert datetime.fromtimestamp(found / 1000, UTC).year == year


def test_certificates_are_found_between_whatever_else_is_in_a_file() -> None:
    pem = (GOLDEN / "ca.pem").read_text()
    found = from_pem(f"subject=ü\n{pem}and\n{pem}")
    assert found == [ssl.PEM_cert_to_DER_cert(pem)] * 2
    with pytest.raises(ValueError, match="no end"):
        from_pem(pem[:100])


@given(st.data())
def test_a_damaged_certificate_is_an_error_never_a_crash(data: st.DataObject) -> None:
    whole = bytearray(broker())
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    torn = bytes(whole[: data.draw(st.integers(0, len(whole)))])
    with raises_only(ValueError):
        subject(torn)
    for read in (alternative_names, host_names, issuer, validity):
        with raises_only(ValueError):
            read(torn)
