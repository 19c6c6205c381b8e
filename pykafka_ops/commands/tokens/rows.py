"""Delegation tokens as a table; their secrets only where they are asked for."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import Final

from pykafka_ops.analysis.moments import moment_text
from pykafka_ops.client.tokens import Token
from pykafka_ops.commands.framework.output import Cells, Column, Table

COLUMNS: Final = (
    Column("token", "TOKEN-ID"),
    Column("owner"),
    Column("requester", wide=True),
    Column("renewers"),
    Column("issued", spare=True),
    Column("expires"),
    Column("latest"),
)
_HMAC: Final = Column("hmac")


def tokens_table(found: Sequence[Token], *, secret: bool, notes: Sequence[str] = ()) -> Table:
    """A row for each; times are UTC in ISO 8601."""
    columns = (*COLUMNS, _HMAC) if secret else COLUMNS
    rows = [{**_row(token), **_secret(token)} if secret else _row(token) for token in found]
    return Table("tokens", columns, rows, notes=notes)


def _row(token: Token) -> Cells:
    return {
        "token": token.id,
        "owner": token.owner,
        "requester": token.requester or None,
        "renewers": list(token.renewers),
        "issued": moment_text(token.issued, parts=False),
        "expires": moment_text(token.expires, parts=False),
        "latest": moment_text(token.latest, parts=False),
    }


def _secret(token: Token) -> Cells:
    return {"hmac": b64encode(token.hmac).decode()}
