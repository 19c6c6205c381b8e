"""Certificates that clients should not show, and some that only look so.

They are made with ``cryptography``, as the openssl program makes none of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.name import _ASN1Type
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID, ObjectIdentifier

_DAY = timedelta(days=1)
Attribute = tuple[ObjectIdentifier, str] | tuple[ObjectIdentifier, str, _ASN1Type]


class Identity(NamedTuple):
    """A private key and a certificate; ``chain`` is what else is sent."""

    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate
    chain: tuple[x509.Certificate, ...] = ()

    def der(self) -> list[bytes]:
        """The certificates that are sent, the client's own first."""
        sent = (self.certificate, *self.chain)
        return [one.public_bytes(serialization.Encoding.DER) for one in sent]

    def write(self, path: Path) -> Path:
        """A PEM file for a client."""
        pem = serialization.Encoding.PEM
        plain = serialization.NoEncryption()
        parts = [self.key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)]
        parts += [one.public_bytes(pem) for one in (self.certificate, *self.chain)]
        path.write_bytes(b"".join(parts))
        return path


def name_of(*attributes: Attribute) -> x509.Name:
    """A distinguished name, whatever its attributes are."""
    with warnings.catch_warnings(action="ignore"):  # about names that are too long
        parts = [x509.NameAttribute(*one, _validate=False) for one in attributes]
    return x509.Name(parts)


def common(name: str, *more: Attribute) -> x509.Name:
    """CN=name, with what is more behind it in Java's text."""
    return name_of(*reversed(more), (NameOID.COMMON_NAME, name))


def alternative(hosts: Iterable[str]) -> x509.SubjectAlternativeName:
    """Names of hosts."""
    return x509.SubjectAlternativeName([x509.DNSName(host) for host in hosts])


def usage(**said: bool) -> x509.KeyUsage:
    """What a key is for, and nothing else."""
    kinds = (
        "digital_signature content_commitment key_encipherment data_encipherment key_agreement "
        "key_cert_sign crl_sign encipher_only decipher_only"
    )
    return x509.KeyUsage(**{kind: said.get(kind, False) for kind in kinds.split()})


class Signer:
    """An authority of its own."""

    def __init__(self, name: str = "an authority") -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = common(name)
        self.certificate = self.sign(
            self.name,
            self.key,
            [x509.BasicConstraints(ca=True, path_length=None), usage(key_cert_sign=True)],
        )

    def write(self, path: Path) -> Path:
        """Its certificate as a trust store in PEM."""
        path.write_bytes(self.certificate.public_bytes(serialization.Encoding.PEM))
        return path

    def issue(
        self,
        name: x509.Name,
        *extensions: x509.ExtensionType,
        begins: timedelta = -_DAY,
        ends: timedelta = _DAY,
        chain: tuple[x509.Certificate, ...] = (),
    ) -> Identity:
        """One that it signs."""
        key = ec.generate_private_key(ec.SECP256R1())
        return Identity(key, self.sign(name, key, extensions, begins, ends), chain)

    def sign(
        self,
        name: x509.Name,
        key: ec.EllipticCurvePrivateKey,
        extensions: Sequence[x509.ExtensionType] = (),
        begins: timedelta = -_DAY,
        ends: timedelta = _DAY,
    ) -> x509.Certificate:
        """A certificate of a key."""
        now = datetime.now(UTC)
        builder = (
            x509.CertificateBuilder(self.name, name, key.public_key(), x509.random_serial_number())
            .not_valid_before(now + begins)
            .not_valid_after(now + ends)
        )
        for extension in extensions:
            critical = not isinstance(extension, x509.SubjectAlternativeName)
            builder = builder.add_extension(extension, critical=critical)
        return builder.sign(self.key, hashes.SHA256())


def odd(signer: Signer) -> dict[str, Identity]:
    """Certificates that are valid, with names that are hard to read."""
    nul, evil = "\0", "User:admin,CN=admin"
    names = {
        "NUL in CN": common(f"admin{nul}.example.com"),
        "only NUL": common(nul),
        "comma": common(evil, (NameOID.ORGANIZATIONAL_UNIT_NAME, "ops")),
        "quotes and backslashes": common('"ad\\min"; <a>+b=c#'),
        "spaces around": common("  admin  "),
        "lines": common("x\r\n[2026-01-01 00:00:00,000] ERROR forged (kafka)\x1b[31m"),
        "no name": x509.Name([]),
        "long": common("a" * 30_000),
        "many parts": name_of(*[(NameOID.ORGANIZATIONAL_UNIT_NAME, f"u{n}") for n in range(500)]),
        "two names": common("admin", (NameOID.COMMON_NAME, "mallory")),
        "other script": common("админ\u202e nimda"),
        "two bytes a letter": name_of((NameOID.COMMON_NAME, "a,b\0", _ASN1Type.BMPString)),
        "a slash": common("a/b", (NameOID.ORGANIZATIONAL_UNIT_NAME, "mapped")),
        "mapped": common("ADMIN", (NameOID.ORGANIZATIONAL_UNIT_NAME, "mapped")),
        "mapped with a comma": common("a,OU=x", (NameOID.ORGANIZATIONAL_UNIT_NAME, "mapped")),
        "mapped with NUL": common("A\0B", (NameOID.ORGANIZATIONAL_UNIT_NAME, "mapped")),
        "mapped to a reference": common("$1", (NameOID.ORGANIZATIONAL_UNIT_NAME, "mapped")),
        "mapped with a line": common("a\nb", (NameOID.ORGANIZATIONAL_UNIT_NAME, "mapped")),
        "an unknown part": name_of((ObjectIdentifier("1.2.3.4"), "x,y\0")),
    }
    found = {kind: signer.issue(name) for kind, name in names.items()}
    hosts = [f"host-{n:04}.example.com".ljust(26, "m") for n in range(2_300)]
    found["NUL in a host"] = signer.issue(common("nul"), alternative(["localhost\0.evil.example"]))
    found["64 KB of hosts"] = signer.issue(common("hosts"), alternative(hosts))
    return found


def bad(signer: Signer) -> dict[str, tuple[Identity, str]]:
    """Certificates that nobody may come in with, and what the log says of them."""
    name, stranger = common("alice"), Signer("a stranger")
    leaf = signer.issue(name, x509.BasicConstraints(ca=False, path_length=None))
    forger = Signer()  # of the same name
    by_leaf = Signer("alice")
    by_leaf.key = leaf.key
    purpose = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
    huge = alternative(f"host-{n}.example.com" for n in range(9_000))
    return {
        "expired": (signer.issue(name, begins=-2 * _DAY, ends=-_DAY), "certificate has expired"),
        "of tomorrow": (
            signer.issue(name, begins=_DAY, ends=2 * _DAY),
            "certificate is not yet valid",
        ),
        "self-made": (_self_made(), "self-signed certificate"),
        "of a stranger": (
            stranger.issue(name, chain=(stranger.certificate,)),
            "self-signed certificate in certificate chain",
        ),
        "of a stranger alone": (stranger.issue(name), "unable to get local issuer certificate"),
        "forged": (forger.issue(name), "certificate signature failure"),
        "signed by a client": (
            by_leaf.issue(common("mallory"), chain=(leaf.certificate,)),
            "invalid CA certificate",
        ),
        "for servers": (signer.issue(name, purpose), "unsuitable certificate purpose"),
        "for signing others": (
            signer.issue(name, usage(key_cert_sign=True)),
            "unsuitable certificate purpose",
        ),
        "unknown and critical": (
            signer.issue(name, x509.UnrecognizedExtension(ObjectIdentifier("1.2.3.4.5"), b"x")),
            "unhandled critical extension",
        ),
        "200 KB of hosts": (signer.issue(name, huge), "excessive message size"),
    }


def _self_made() -> Identity:
    made = Signer("alice")
    return Identity(made.key, made.certificate)
