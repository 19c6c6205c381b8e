"""Names in certificates are those that Java shows."""

from __future__ import annotations

import ssl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pykafka_ops.security.certificates import alternative_names, from_pem, name_text, subject
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
    with raises_only(ValueError):
        alternative_names(torn)
