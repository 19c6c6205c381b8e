"""Keys and certificates (RFC 5280), made with ``cryptography``: the extra ``certs``."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import pkcs12
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from pykafka_ops.errors import UsageError

BITS = 2048
_PEM = serialization.Encoding.PEM
_BACK = timedelta(days=1)
"""A clock that is late takes it, too."""


class KeyAndCertificate(NamedTuple):
    """A private key and its certificate."""

    key: rsa.RSAPrivateKey
    certificate: x509.Certificate

    def key_pem(self) -> bytes:
        """The key as PKCS8, not encrypted."""
        kind = serialization.PrivateFormat.PKCS8
        return self.key.private_bytes(_PEM, kind, serialization.NoEncryption())

    def key_der(self) -> bytes:
        """The same as DER."""
        der, kind = serialization.Encoding.DER, serialization.PrivateFormat.PKCS8
        return self.key.private_bytes(der, kind, serialization.NoEncryption())

    def certificate_der(self) -> bytes:
        """The certificate as DER."""
        return self.certificate.public_bytes(serialization.Encoding.DER)

    def certificate_pem(self) -> bytes:
        """The certificate."""
        return self.certificate.public_bytes(_PEM)


def new_authority(name: str, days: int) -> KeyAndCertificate:
    """An authority that signs itself."""
    key = _new_key()
    subject = _name(name)
    builder = _builder(subject, subject, key, days)
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    usage = x509.KeyUsage(
        digital_signature=False, content_commitment=False, key_encipherment=False,
        data_encipherment=False, key_agreement=False, key_cert_sign=True, crl_sign=True,
        encipher_only=False, decipher_only=False,
    )  # fmt: skip
    return KeyAndCertificate(
        key, builder.add_extension(usage, critical=True).sign(key, hashes.SHA256())
    )


def new_identity(
    authority: KeyAndCertificate, name: str, hosts: Sequence[str], days: int
) -> KeyAndCertificate:
    """One that the authority signs, good for brokers and for clients."""
    key = _new_key()
    builder = _builder(_name(name), authority.certificate.subject, key, days)
    builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), True)
    purposes = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
    builder = builder.add_extension(x509.ExtendedKeyUsage(purposes), critical=False)
    signer = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key())
    builder = builder.add_extension(signer, critical=False)
    if hosts:
        names = x509.SubjectAlternativeName([_host(host) for host in hosts])
        builder = builder.add_extension(names, critical=False)
    return KeyAndCertificate(key, builder.sign(authority.key, hashes.SHA256()))


def read_identity(key: bytes, certificate: bytes) -> KeyAndCertificate:
    """From PEM. ValueError where that is none, or of another kind."""
    found = serialization.load_pem_private_key(key, None)
    if not isinstance(found, rsa.RSAPrivateKey):
        raise ValueError("not an RSA key")
    return KeyAndCertificate(found, x509.load_pem_x509_certificate(certificate))


def key_store(
    identity: KeyAndCertificate, authority: KeyAndCertificate, name: str, password: str
) -> bytes:
    """PKCS12, which Java opens as a key store, where JKS is said, too."""
    return pkcs12.serialize_key_and_certificates(
        name.encode(), identity.key, identity.certificate, [authority.certificate],
        serialization.BestAvailableEncryption(password.encode()),
    )  # fmt: skip


def trust_store(authority: KeyAndCertificate, password: str) -> bytes:
    """PKCS12 with the mark that Java wants of certificates to trust."""
    trusted = [pkcs12.PKCS12Certificate(authority.certificate, b"ca")]
    encryption = serialization.BestAvailableEncryption(password.encode())
    return pkcs12.serialize_java_truststore(trusted, encryption)


def _new_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=BITS)


def _name(name: str) -> x509.Name:
    try:
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    except ValueError:
        raise UsageError(f"name {name!r}: write 1 to 64 characters") from None


def _host(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        pass
    try:
        return x509.DNSName(host)
    except ValueError:
        raise UsageError(f"--host {host}: write it in ASCII, as xn--... where need be") from None


def _builder(
    subject: x509.Name, signer: x509.Name, key: rsa.RSAPrivateKey, days: int
) -> x509.CertificateBuilder:
    """What all certificates have; ``days`` below 0: it ended then."""
    now = datetime.now(UTC)
    try:
        ends = now + timedelta(days=days)
        begins = min(now, ends) - _BACK
    except OverflowError:
        raise UsageError(f"--days {days}: the calendar ends before") from None
    made = x509.CertificateBuilder().subject_name(subject).issuer_name(signer)
    made = made.public_key(key.public_key()).serial_number(x509.random_serial_number())
    made = made.not_valid_before(begins).not_valid_after(ends)
    mark = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    return made.add_extension(mark, critical=False)
