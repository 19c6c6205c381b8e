"""What Java's keytool made and what Java and Kafka's own classes said of it.

``key.jks`` and ``key.p12`` hold the key of ``broker.pem``, which ``ca.pem`` has signed and
``trust.jks`` and ``trust.p12`` trust; the key in ``key.jks`` has a password of its own.
"""

from __future__ import annotations

from pathlib import Path

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "certificates"
PASSWORD, KEY_PASSWORD = "s3cret", "s3cret-key"


def names() -> list[tuple[bytes, str]]:
    """Distinguished names (DER), and ``X500Principal.getName()`` of each (Java 17)."""
    found = []
    for line in (GOLDEN / "names.txt").read_text(encoding="ascii").splitlines():
        name, _, text = line.partition(" ")
        units = text.encode("ascii").decode("unicode_escape")
        found.append(
            (bytes.fromhex(name), units.encode("utf-16", "surrogatepass").decode("utf-16"))
        )
    return found


def mapping() -> list[tuple[str, str, str]]:
    """Rules, a distinguished name, and what Kafka 3.9.1 makes of both: ``=user`` or ``!Error``."""
    text = (GOLDEN / "mapping.tsv").read_text(encoding="ascii")
    rows = [line.split("\t") for line in text.splitlines()]
    return [(rules, name, result) for rules, name, result in rows]
