"""SASL DIGEST-MD5: the bytes a client sends, given the bytes received. No I/O.

Source: RFC 2831, quality of protection "auth" only, as ZooKeeper's servers offer it.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Generator
from hashlib import md5

Dialogue = Generator[bytes, bytes, None]
_FIELD = re.compile(rb'\s*([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*))\s*(?:,|$)', re.DOTALL)
_COUNT = "00000001"


class DigestError(Exception):
    """The server's part does not follow the mechanism, or proves that it is not the one."""


def dialogue(user: str, password: str, nonce: str, service: str, host: str) -> Dialogue:
    """The client's side: yields what to send, is sent what came back; ``nonce`` is its own.

    ``service`` and ``host`` are the digest-uri. Raises DigestError.
    """
    challenge = _fields((yield b""))
    missing = [name for name in ("nonce", "algorithm") if name not in challenge]
    if missing:
        raise DigestError(f"its challenge has no {' and no '.join(missing)}")
    offered = [word.strip() for word in challenge.get("qop", "auth").split(",")]
    if "auth" not in offered or challenge["algorithm"] != "md5-sess":
        raise DigestError(f"it wants {challenge['algorithm']} with {', '.join(offered)}")
    unicode = challenge.get("charset", "").lower() == "utf-8"
    realm = challenge.get("realm", "")
    uri = f"{service}/{host}"
    name, realm_bytes, secret = (_bytes(text, unicode) for text in (user, realm, password))
    nonces = f":{challenge['nonce']}:{nonce}".encode()
    key = md5(md5(b":".join((name, realm_bytes, secret))).digest() + nonces).hexdigest()

    def proof(verb: str) -> str:
        what = md5(f"{verb}:{uri}".encode()).hexdigest()
        parts = (key, challenge["nonce"], _COUNT, nonce, "auth", what)
        return md5(":".join(parts).encode()).hexdigest()

    said = [
        *(["charset=utf-8"] if unicode else []),
        f"username={_quoted(user)}",
        f"realm={_quoted(realm)}",
        f"nonce={_quoted(challenge['nonce'])}",
        f"nc={_COUNT}",
        f"cnonce={_quoted(nonce)}",
        f"digest-uri={_quoted(uri)}",
        f"response={proof('AUTHENTICATE')}",
        "qop=auth",
    ]
    answer = _fields((yield ",".join(said).encode("utf-8" if unicode else "latin-1", "replace")))
    if not hmac.compare_digest(answer.get("rspauth", "").encode(), proof("").encode()):
        raise DigestError("it does not know the password either")


def _bytes(text: str, unicode: bool) -> bytes:
    """Of hashes: ISO 8859-1 wherever that will do (RFC 2831, 2.1.2.1)."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        if unicode:
            return text.encode()
        raise DigestError("it takes only names and passwords of ISO 8859-1") from None


def _quoted(text: str) -> str:
    return '"' + re.sub(r'(["\\])', r"\\\1", text) + '"'


def _fields(message: bytes) -> dict[str, str]:
    """The directives of a challenge."""
    found: dict[str, str] = {}
    at = 0
    while at < len(message):
        match = _FIELD.match(message, at)
        if match is None or match.end() == at:
            raise DigestError("its challenge is malformed")
        value = match[3] if match[2] is None else re.sub(rb"\\(.)", rb"\1", match[2])
        try:
            found[match[1].decode()] = value.decode()
        except UnicodeDecodeError:
            raise DigestError("its challenge is no text") from None
        at = match.end()
    return found
