"""Tokens of PLAIN and OAUTHBEARER, as they should be and as badly as can be."""

from __future__ import annotations

import json
import time
from base64 import urlsafe_b64encode

from tests.support.differential.logins.steps import (
    authenticate,
    handshake,
    serves,
    token,
    tokens_by,
)
from tests.support.differential.logins.talk import ENCRYPTED, Script, Step, Talk

PLAIN = {
    "right": b"\0alice\0alice-secret",
    "wrong password": b"\0alice\0wrong",
    "unknown user": b"\0nobody\0wrong",
    "nothing": b"",
    "one NUL": b"\0",
    "two NULs": b"\0\0",
    "three NULs": b"\0\0\0",
    "no password": b"\0alice\0",
    "no name": b"\0\0alice-secret",
    "one part": b"alice",
    "two parts": b"alice\0alice-secret",
    "four parts": b"\0alice\0alice-secret\0more",
    "NUL at the end": b"\0alice\0alice-secret\0",
    "authzid of itself": b"alice\0alice\0alice-secret",
    "authzid of another": b"bob\0alice\0alice-secret",
    "authzid and wrong password": b"bob\0alice\0wrong",
    "no UTF-8": b"\0\xff\xfe\0\xc3\x28",
    "password is no UTF-8": b"\0alice\0\xff",
    "quoted comma": b"\0a=2Cb=3Dc\0comma",
    "name of 255 bytes": b"\0" + b"n" * 255 + b"\0x",
    "name of 70,000 bytes": b"\0" + b"n" * 70_000 + b"\0x",
    "other case": b"\0Alice\0alice-secret",
    "blanks": b"\0 alice \0alice-secret",
    "newlines": b"\0ali\nce\0x",
}


def unsigned(**claims: object) -> bytes:
    """A JWT that nobody signed."""
    now = int(time.time())
    whole = {"sub": "alice", "iat": now - 10, "exp": now + 3600, **claims}
    return jwt({"alg": "none"}, {key: said for key, said in whole.items() if said is not None})


def jwt(head: object, body: object, signature: bytes = b"") -> bytes:
    """A JWT of these parts."""
    parts = (urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=") for part in (head, body))
    return b".".join((*parts, signature))


def first(
    jws: bytes, *, gs2: bytes = b"n,,", more: bytes = b"", scheme: bytes = b"Bearer"
) -> bytes:
    """The client's first message."""
    return gs2 + b"\x01auth=" + scheme + b" " + jws + b"\x01" + more + b"\x01"


GOOD = unsigned()
BEARER = {
    "right": first(GOOD),
    "lower case": first(GOOD, scheme=b"bearer"),
    "another scheme": first(GOOD, scheme=b"Basic"),
    "no scheme": b"n,,\x01auth=" + GOOD + b"\x01\x01",
    "authzid of itself": first(GOOD, gs2=b"n,a=alice,"),
    "authzid of another": first(GOOD, gs2=b"n,a=bob,"),
    "empty authzid": first(GOOD, gs2=b"n,a=,"),
    "binding y": first(GOOD, gs2=b"y,,"),
    "binding p": first(GOOD, gs2=b"p=tls-unique,,"),
    "extensions": first(GOOD, more=b"key=value\x01traceId=123\x01"),
    "extension with a digit": first(GOOD, more=b"key1=value\x01"),
    "extension without a value": first(GOOD, more=b"key=\x01"),
    "auth twice": first(GOOD, more=b"auth=Bearer x\x01"),
    "no kvsep at the end": first(GOOD)[:-1],
    "no kvsep at all": b"n,,auth=Bearer " + GOOD,
    "a kvsep too many": first(GOOD) + b"\x01",
    "nothing": b"",
    "only the header": b"n,,",
    "header and kvseps": b"n,,\x01\x01",
    "no auth": b"n,,\x01host=x\x01\x01",
    "the answer to an error": b"\x01",
    "no UTF-8": b"\xff\xfe\xfd",
    "token with blanks": first(b"a b c"),
    "token that is none": first(b"token"),
    "empty token": first(b""),
    "two parts": first(GOOD.rstrip(b".")),
    "four parts": first(GOOD + b".x"),
    "parts that are no base64": first(b"a.b."),
    "parts that are no JSON": first(b"YWJj.YWJj."),
    "signed": first(jwt({"alg": "HS256"}, {"sub": "alice"}, b"c2ln")),
    "signed with none": first(GOOD + b"c2ln"),
    "another algorithm": first(jwt({"alg": "HS256"}, {"sub": "alice", "exp": 9**10})),
    "no algorithm": first(jwt({}, {"sub": "alice", "exp": 9**10})),
    "a list": first(jwt({"alg": "none"}, ["sub"])),
    "no sub": first(unsigned(sub=None)),
    "empty sub": first(unsigned(sub="")),
    "blank sub": first(unsigned(sub="  ")),
    "sub is a number": first(unsigned(sub=1)),
    "no exp": first(unsigned(exp=None)),
    "exp is a text": first(unsigned(exp="soon")),
    "exp is a fraction": first(unsigned(exp=9_000_000_000.5)),
    "exp has been": first(unsigned(exp=1)),
    "exp is negative": first(unsigned(exp=-1)),
    "iat to come": first(unsigned(iat=9_000_000_000, exp=9_000_000_001)),
    "no iat": first(unsigned(iat=None)),
    "iat after exp": first(unsigned(iat=int(time.time()), exp=int(time.time()) - 5)),
    "scope is a text": first(unsigned(scope="a b")),
    "scope is a list": first(unsigned(scope=["a", "b"])),
    "scope is a number": first(unsigned(scope=1)),
}
ABORT = token(b"\x01")


def _tokens(mechanism: str, tokens: dict[str, bytes], end: tuple[Step, ...]) -> list[Script]:
    return [
        Script(f"{mechanism} v{n}, {name}", (handshake(mechanism, n), token(data), *end))
        for name, data in tokens.items()
        for n in (0, 1)
    ]


def again(talk: Talk) -> None:
    """A right token, whatever came of the one before."""
    token(PLAIN["right"])(talk)


SCRIPTS = [
    *_tokens("PLAIN", PLAIN, (serves,)),
    *_tokens("OAUTHBEARER", BEARER, (ABORT, serves)),
    *(
        Script(
            f"PLAIN by SaslAuthenticate v{n}, {name}",
            (handshake("PLAIN"), tokens_by(n), token(PLAIN[name]), serves),
        )
        for n in (0, 1)
        for name in ("right", "wrong password")
    ),
    *(
        Script(f"{name} by TLS", (handshake("PLAIN"), token(PLAIN[name]), serves), ENCRYPTED)
        for name in ("right", "wrong password", "one NUL", "name of 255 bytes")
    ),
    *(
        Script(
            f"OAUTHBEARER, {name} by TLS",
            (handshake("OAUTHBEARER"), token(BEARER[name]), ABORT, serves),
            ENCRYPTED,
        )
        for name in ("right", "binding y", "exp has been")
    ),
    Script("PLAIN again after a failure", (handshake("PLAIN"), token(b"\0alice\0x"), again)),
    Script("PLAIN twice", (handshake("PLAIN"), token(PLAIN["right"]), again, serves)),
    Script(
        "OAUTHBEARER again instead of an abort",
        (handshake("OAUTHBEARER"), token(BEARER["exp has been"]), token(BEARER["right"]), serves),
    ),
    Script(
        "OAUTHBEARER, nothing instead of an abort",
        (handshake("OAUTHBEARER"), token(BEARER["exp has been"]), token(b""), serves),
    ),
    Script("SaslAuthenticate after raw tokens began", (handshake("PLAIN", 0), authenticate(b"x"))),
]
