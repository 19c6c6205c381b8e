"""What clients send to log in, at each step of each mechanism."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json

from pykafka_ops.broker.state.logins import oauthbearer, plain, unsecured_jws
from pykafka_ops.broker.state.logins.dialogue import Heard, NewDialogue, begun
from pykafka_ops.broker.state.logins.scram import ScramLogin, ScramSide
from pykafka_ops.errors import LoginError
from pykafka_ops.security import scram as messages
from pykafka_ops.settings.scram import MECHANISMS, Credential

MECHANISM = MECHANISMS["SCRAM-SHA-256"]
NOW = 1_700_000_000_000
NONCE = "server"
SALT = b"0123456789abcdef"
SALTED = hashlib.pbkdf2_hmac(MECHANISM.digest, b"secret", SALT, MECHANISM.min_iterations)


def _dialogues() -> list[NewDialogue]:
    credential = Credential.of(MECHANISM, SALTED, SALT, MECHANISM.min_iterations)
    side = ScramSide(
        MECHANISM,
        lambda name, by_token, now: ScramLogin(credential, name) if name == "ann" else None,
        lambda: NONCE,
        b"nobody knows",
    )
    options = {"unsecuredValidatorPrincipalClaimName": "sub"}
    return [
        plain.new_login(plain.checker({"ann": "secret"})),
        side.new_login(),
        oauthbearer.new_login(unsecured_jws.validator(options)),
    ]


def logins(data: bytes) -> None:
    """The first byte says which mechanism; tokens are parted by lines of a dash."""
    which, tokens = data[:1], data[1:].split(b"\n-\n")
    dialogue = begun(_dialogues()[which[0] % 3 if which else 0])
    with contextlib.suppress(LoginError, StopIteration):
        for token in tokens:
            dialogue.send(Heard(token, NOW))


def _token(**claims: object) -> bytes:
    head, body = (
        base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=")
        for part in ({"alg": "none"}, claims)
    )
    return b"n,,\x01auth=Bearer %s.%s.\x01\x01" % (head, body)


def login_seeds() -> list[bytes]:
    """Logins as they should be, and some that are not."""
    first = "n=ann,r=client"
    ours = messages.server_first(f"client{NONCE}", SALT, MECHANISM.min_iterations)
    without = f"c=biws,r=client{NONCE}"
    said = f"{first},{ours},{without}".encode()
    credential = Credential.of(MECHANISM, SALTED, SALT, MECHANISM.min_iterations)
    key = messages.mac(MECHANISM.digest, SALTED, b"Client Key")
    signed = messages.mac(MECHANISM.digest, credential.stored_key, said)
    proof = bytes(a ^ b for a, b in zip(key, signed, strict=True))
    final = f"{without},p={base64.b64encode(proof).decode()}".encode()
    seconds = NOW // 1000
    return [
        b"\x00\0ann\0secret",
        b"\x00ann\0ann\0secret",
        b"\x01n,," + first.encode() + b"\n-\n" + final,
        b"\x01n,a=ann,n=a=2Cb,r=x,tokenauth=true",
        b"\x02" + _token(sub="ann", exp=seconds + 60, iat=seconds, scope=["a"]),
        b"\x02" + _token(sub="ann", exp=1e308, iat=-1, scope="a b"),
        b"\x02n,a=ann,\x01auth=bearer x\x01k=v\x01\x01\n-\n\x01",
    ]
