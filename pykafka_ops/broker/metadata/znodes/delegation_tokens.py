"""Znodes of delegation tokens, and the notifications of their changes (KIP-48)."""

from __future__ import annotations

from pykafka_ops.broker.metadata.znodes.config import desanitize, sanitize
from pykafka_ops.broker.metadata.znodes.json_data import decode_json, encode_json, understood
from pykafka_ops.broker.state.logins.delegation import DelegationToken

TOKENS = "/delegation_token/tokens"
CHANGES = "/delegation_token/token_changes"
PERSISTENT_PATHS = (TOKENS, CHANGES)
"""Created where ``delegation.token.secret.key`` is set."""
OLDEST, NEWEST = 1, 3
"""Versions of the format; the third brought the requester (KIP-373)."""


class TokenZNode:
    """One token; its secret follows from its id, and is stored nowhere."""

    @staticmethod
    def path(token_id: str) -> str:
        """Where the token is."""
        return f"{TOKENS}/{token_id}"

    @staticmethod
    def encode(token: DelegationToken) -> bytes:
        """The znode's data; names as ``User%3Aalice``."""
        return encode_json(
            {
                "version": NEWEST,
                "owner": sanitize(token.owner),
                "tokenRequester": sanitize(token.requester),
                "renewers": [sanitize(renewer) for renewer in token.renewers],
                "issueTimestamp": token.issued,
                "maxTimestamp": token.latest,
                "expiryTimestamp": token.expires,
                "tokenId": token.id,
            }
        )

    @staticmethod
    def decode(token_id: str, data: bytes | None) -> DelegationToken:
        """The token. Raises ZnodeError."""
        what = TokenZNode.path(token_id)
        value = decode_json(what, data)

        def build() -> DelegationToken:
            if not OLDEST <= int(value["version"]) <= NEWEST:
                raise ValueError(f"unsupported version {value['version']}")
            owner = _principal(value["owner"])
            requester = value.get("tokenRequester")
            return DelegationToken(
                id=str(value["tokenId"]),
                owner=owner,
                requester=owner if requester is None else _principal(requester),
                renewers=tuple(_principal(renewer) for renewer in value["renewers"]),
                issued=int(value["issueTimestamp"]),
                latest=int(value["maxTimestamp"]),
                expires=int(value["expiryTimestamp"]),
            )

        return understood(what, build)


def _principal(text: object) -> str:
    found = desanitize(str(text)) or ""
    kind, colon, name = found.partition(":")
    if not (kind and colon and name):
        raise ValueError(f"{found!r} is no principal")
    return found


class TokenChanges:
    """Tells every broker which token to read again: the text is its id."""

    prefix = f"{CHANGES}/token_change_"

    @staticmethod
    def encode(token_id: str) -> bytes:
        """The notification's data."""
        return token_id.encode()

    @staticmethod
    def decode(data: bytes | None) -> str:
        """The token's id."""
        return (data or b"").decode(errors="replace")
