"""What Kafka's ``KerberosShortNamer`` made of principals, in the default realm ``REALM.COM``."""

from __future__ import annotations

import re
from pathlib import Path

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "kerberos"
REALM = "REALM.COM"


def short_names() -> list[tuple[list[str], str, str]]:
    """Rules, a principal, and what Kafka 3.9.1 makes of both: ``=user`` or ``!Error``."""
    text = (GOLDEN / "short_names.tsv").read_text(encoding="utf-8")
    found = []
    for line in text.splitlines():
        rules, name, result = line.split("\t")
        found.append((re.split(" *, *", rules) if rules else ["DEFAULT"], name, result))
    return found
