"""Signed tokens: whoever has no key of the provider, or another use of one, is refused."""

from __future__ import annotations

import json
import time
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from pykafka_ops.broker.runtime.security.signed_tokens import TokenChecker, TokenRules
from pykafka_ops.broker.state.logins.oauthbearer import TokenRefusedError

RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER = rsa.generate_private_key(public_exponent=65537, key_size=2048)
EC = ec.generate_private_key(ec.SECP256R1())
PEM = RSA.public_key().public_bytes(
    serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
)
KEYS: list[dict[str, Any]] = [
    {**json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(RSA.public_key())), "kid": "r"},
    {**json.loads(jwt.algorithms.ECAlgorithm.to_jwk(EC.public_key())), "kid": "e"},
    {"kty": "oct", "k": "AAAA", "kid": "secret"},
    {"kty": "RSA", "kid": "broken"},
]
RULES = TokenRules(["kafka", "other"], "https://issuer", "sub", "scope", 30)


def find(identity: str | None) -> list[dict[str, Any]]:
    return [key for key in KEYS if identity is None or key["kid"] == identity]


def claims(**more: Any) -> dict[str, Any]:
    now = int(time.time())
    made = {"sub": "alice", "iss": "https://issuer", "aud": "kafka", "iat": now, "exp": now + 600}
    return {name: value for name, value in {**made, **more}.items() if value is not None}


def signed(key: Any = RSA, algorithm: str = "RS256", kid: str | None = "r", **more: Any) -> str:
    head = {} if kid is None else {"kid": kid}
    return jwt.encode(claims(**more), key, algorithm, head)


@pytest.mark.parametrize("algorithm", ["RS256", "RS384", "RS512", "PS256"])
def test_a_token_signed_by_the_provider_is_taken(algorithm: str) -> None:
    expires = int(time.time()) + 100
    found = TokenChecker(find, RULES)(signed(algorithm=algorithm, exp=expires), 0)
    assert found == ("alice", expires * 1000)


def test_so_is_one_by_an_elliptic_curve_and_one_for_several_audiences() -> None:
    check = TokenChecker(find, RULES)
    assert check(signed(EC, "ES256", "e", aud=["x", "other"]), 0).name == "alice"


def test_without_a_key_id_the_only_key_of_the_kind_counts() -> None:
    check = TokenChecker(lambda _: KEYS[:2], RULES)
    assert check(signed(kid=None), 0).name == "alice"
    with pytest.raises(TokenRefusedError):
        TokenChecker(lambda _: [KEYS[0], {**KEYS[0], "kid": "r2"}], RULES)(signed(kid=None), 0)


def test_the_claim_of_the_name_may_be_another_and_scopes_a_list() -> None:
    rules = RULES._replace(name_claim="user", scope_claim="scp", audiences=[], issuer=None)
    token = signed(user="bob", scp=["a", "b"], aud=None, iss=None)
    assert TokenChecker(find, rules)(token, 0).name == "bob"


def test_clocks_may_differ_a_little() -> None:
    now = int(time.time())
    check = TokenChecker(find, RULES)
    assert check(signed(iat=now + 20, exp=now + 500), 0).name == "alice"


def confused() -> str:
    """Signed with the public key as if it were a shared secret."""
    head, body = (
        jwt.utils.base64url_encode(json.dumps(part).encode())
        for part in ({"alg": "HS256", "kid": "r"}, claims())
    )
    hashed = jwt.algorithms.HMACAlgorithm(jwt.algorithms.HMACAlgorithm.SHA256)
    signature = jwt.utils.base64url_encode(hashed.sign(head + b"." + body, PEM))
    return b".".join((head, body, signature)).decode()


@pytest.mark.parametrize(
    "make",
    [
        lambda: "",
        lambda: "a.b.c",
        lambda: "." * 60_000,
        lambda: jwt.encode(claims(), None, "none", {"kid": "r"}),
        confused,
        lambda: signed(b"A" * 64, "HS256", "secret"),
        lambda: signed(OTHER),
        lambda: signed(EC, "ES256", "r"),
        lambda: signed(kid="unknown"),
        lambda: signed(kid="broken"),
        lambda: signed(kid="k" * 2000),
        lambda: signed(aud="billing"),
        lambda: signed(aud=None),
        lambda: signed(iss="https://else"),
        lambda: signed(iss=None),
        lambda: signed(exp=int(time.time()) - 40),
        lambda: signed(exp=None),
        lambda: signed(iat=None),
        lambda: signed(exp=10**300),
        lambda: signed(sub=None),
        lambda: signed(sub=" "),
        lambda: signed(scope="a a"),
        lambda: signed(scope=[1]),
        lambda: signed()[:-4] + "AAAA",
    ],
)
def test_other_tokens_are_refused(make: Any) -> None:
    with pytest.raises(TokenRefusedError):
        TokenChecker(find, RULES)(make(), 0)


def test_a_key_serves_only_the_algorithm_it_names() -> None:
    check = TokenChecker(lambda _: [{**KEYS[0], "alg": "RS512"}], RULES)
    with pytest.raises(TokenRefusedError):
        check(signed(), 0)
    assert check(signed(algorithm="RS512"), 0).name == "alice"
