"""PEM (RFC 7468) as settings hold it: on lines, or all on one line with spaces or without.

Kafka's ``PemStore`` takes both; OpenSSL takes lines alone. Of a chain on one line Kafka finds only
the last certificate, here all of them count.
"""

from __future__ import annotations

from typing import Final

_EDGE: Final = "-----"
_WIDTH: Final = 64


def in_lines(text: str) -> str:
    """The same with each block on lines as OpenSSL reads them; headers of a block stay lines."""
    parts = text.split(_EDGE)
    found, at = [parts[0]], 1
    while at < len(parts):
        label = parts[at].removeprefix("BEGIN ")
        whole = at + 3 < len(parts) and parts[at + 2] == f"END {label}"
        if whole and parts[at] != label:
            found.append(f"\n{_block(label, parts[at + 1])}{parts[at + 3].lstrip(' ')}")
            at += 4
        else:
            found.append(f"{_EDGE}{parts[at]}")
            at += 1
    return "".join(found)


def _block(label: str, body: str) -> str:
    if ":" not in body:  # else encrypted in the old way, with lines before the data
        data = "".join(body.split())
        body = "\n".join(data[at : at + _WIDTH] for at in range(0, len(data), _WIDTH))
    return f"{_EDGE}BEGIN {label}{_EDGE}\n{body.strip()}\n{_EDGE}END {label}{_EDGE}\n"
