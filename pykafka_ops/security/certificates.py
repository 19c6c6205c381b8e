"""What a certificate says about its owner: names, as Java writes them.

Source: ``X500Principal.getName()`` (RFC 2253) and ``sun.security.x509.AVA.toRFC2253String``.
"""

from __future__ import annotations

import ssl
from datetime import UTC, datetime
from ipaddress import ip_address
from typing import Final

from pykafka_ops.security import der

_KEYWORDS: Final = {
    "2.5.4.3": "CN",
    "2.5.4.6": "C",
    "2.5.4.7": "L",
    "2.5.4.8": "ST",
    "2.5.4.9": "STREET",
    "2.5.4.10": "O",
    "2.5.4.11": "OU",
    "0.9.2342.19200300.100.1.25": "DC",
    "0.9.2342.19200300.100.1.1": "UID",
}
_TEXTS: Final = frozenset({0x0C, 0x13, 0x14, 0x16, 0x1B, 0x1E})
"""Kinds of strings that Java shows as text, the bytes of each read as UTF-8; others are shown as
bytes."""
_ESCAPED: Final = frozenset(',=+<>#;"\\')
_BEGIN, _END = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"
_ALTERNATIVE_NAMES: Final = bytes.fromhex("551d11")
_EXTENSIONS: Final = 0xA3
_UTC_TIME: Final = 0x17
_DNS_NAME, _IP_ADDRESS = 0x82, 0x87
_VERSION: Final = 0xA0


def from_pem(text: str) -> list[bytes]:
    """The certificates in PEM text, as DER. Raises ValueError where one cannot be read."""
    found, at = [], text.find(_BEGIN)
    while at >= 0:
        end = text.find(_END, at)
        if end < 0:
            raise ValueError("a certificate in PEM that has no end")
        found.append(ssl.PEM_cert_to_DER_cert(text[at : end + len(_END)]))
        at = text.find(_BEGIN, end)
    return found


def subject(certificate: bytes) -> str:
    """Its owner's distinguished name: ``CN=alice,OU=ops``. Raises ValueError if it is torn."""
    # serial number, signature, issuer, validity, subject
    return name_text(_fields(certificate)[4].whole)


def issuer(certificate: bytes) -> str:
    """Who signed it, as ``subject``. Raises ValueError if it is torn."""
    return name_text(_fields(certificate)[2].whole)


def validity(certificate: bytes) -> tuple[int, int]:
    """When it begins and ends to count, ms since 1970. Raises ValueError if it is torn."""
    begins, ends = der.values(_fields(certificate)[3].content)
    return moment(begins), moment(ends)


def moment(value: der.Value) -> int:
    """A time in a certificate, ms since 1970 (RFC 5280): two digits of the year up to 2049, four
    from then on; always UTC. Raises ValueError."""
    text = value.content.decode("ascii")
    if value.tag == _UTC_TIME:
        text = ("19" if text[:2] >= "50" else "20") + text
    found = datetime.strptime(text, "%Y%m%d%H%M%SZ").replace(tzinfo=UTC)
    return int(found.timestamp()) * 1000


def host_names(certificate: bytes) -> list[str]:
    """The hosts that it is for: DNS names and IP addresses. Raises ValueError if it is torn."""
    found = []
    for name in sorted(alternative_names(certificate)):
        kind = der.first(name)
        if kind.tag == _DNS_NAME:
            found.append(kind.content.decode(errors="replace"))
        elif kind.tag == _IP_ADDRESS:
            found.append(str(ip_address(kind.content)))
    return found


def alternative_names(certificate: bytes) -> frozenset[bytes]:
    """Its other names, each as it is encoded. Raises ValueError if it is torn."""
    for field in _fields(certificate):
        if field.tag == _EXTENSIONS:
            for extension in der.inside(field.content, der.SEQUENCE):
                parts = list(der.values(extension.content))
                if parts and parts[0].content == _ALTERNATIVE_NAMES:
                    names = der.inside(parts[-1].content, der.SEQUENCE)
                    return frozenset(name.whole for name in names)
    return frozenset()


def _fields(certificate: bytes) -> list[der.Value]:
    """What is signed, without the version in front."""
    signed = der.first(der.first(certificate).content)
    fields = list(der.values(signed.content))
    if fields and fields[0].tag == _VERSION:
        del fields[0]
    if len(fields) < 6:
        raise ValueError("not a certificate")
    return fields


def name_text(name: bytes) -> str:
    """A distinguished name (DER) as Java's text, the last part first."""
    parts = [
        "+".join(_attribute(each.content) for each in der.values(part.content))
        for part in der.inside(name, der.SEQUENCE)
    ]
    return ",".join(reversed(parts))


def _attribute(content: bytes) -> str:
    kind, value = list(der.values(content))
    oid = der.dotted(kind.content)
    keyword = _KEYWORDS.get(oid)
    if keyword is None or value.tag not in _TEXTS:
        return f"{keyword or oid}=#{value.whole.hex()}"
    return f"{keyword}={_escaped(value.content.decode(errors='replace'))}"


def _escaped(text: str) -> str:
    bare = text.strip(" ")
    lead = len(text) - len(text.lstrip(" ")) if bare else len(text)
    inner = "".join(f"\\{c}" if c in _ESCAPED else c for c in bare).replace("\0", "\\00")
    return "\\ " * lead + inner + "\\ " * (len(text) - lead - len(bare))
