"""Logins by SCRAM: right, with a proof that is wrong, with messages that RFC 5802 does not know."""

from __future__ import annotations

from tests.support.differential.logins.steps import GIVEN, Scram, handshake, serves, token
from tests.support.differential.logins.talk import ENCRYPTED, Script, Step, Talk

SMALL, LARGE = "SCRAM-SHA-256", "SCRAM-SHA-512"
TOKEN = ",tokenauth=true"
ALICE = ("alice", "alice-secret")


def change(**how: object) -> Scram:
    """Alice's login by SCRAM-SHA-256 with something changed."""
    return Scram(SMALL, *ALICE)._replace(**how)


LOGINS: dict[str, Scram] = {
    "alice": change(),
    "8192 iterations": Scram(SMALL, "bob", "bob-secret"),
    "16384 iterations": Scram(SMALL, "slow", "slow-secret"),
    "comma and equals quoted": Scram(SMALL, "a=2Cb=3Dc", "comma"),
    "comma in a name": Scram(SMALL, "a,b=c", "comma"),
    "equals in a name": Scram(SMALL, "a=b", "x"),
    "quoted like a comma": Scram(SMALL, "=3D2C", "written like a comma"),
    "lower case quotes": Scram(SMALL, "a=2cb=3dc", "comma"),
    "NUL in a name": Scram(SMALL, "ali\0ce", "x"),
    "no UTF-8 in a name": Scram(SMALL, "\udcff\udcfe", "x"),
    "a letter that is no ASCII": Scram(SMALL, "zoë", "x"),
    "no name": Scram(SMALL, "", "x"),
    "unknown name": Scram(SMALL, "nobody", "x"),
    "name of 255 bytes": Scram(SMALL, "n" * 255, "x"),
    "wrong password": Scram(SMALL, "alice", "wrong"),
    "authzid of itself": change(gs2="n,a=alice,"),
    "authzid of another": change(gs2="n,a=bob,"),
    "empty authzid": change(gs2="n,a=,"),
    "binding y": change(gs2="y,,"),
    "binding p": change(gs2="p=tls-unique,,"),
    "no header": change(gs2=""),
    "header that is cut": change(gs2="n,"),
    "another binding at the end": change(binding="eSws"),
    "no binding at the end": change(binding=""),
    "binding that is no base64": change(binding="!!"),
    "binding of n,, with an authzid": change(gs2="n,a=alice,", binding="biws"),
    "more behind the nonce": change(nonce_more="x"),
    "extension": change(extensions=",key=value"),
    "extensions": change(extensions=",a=b,c=d"),
    "extension with a digit": change(extensions=",k1=v"),
    "extension without a value": change(extensions=",key="),
    "extension without a name": change(extensions=",=v"),
    "extension at the end": change(final_extensions=",key=value"),
    "bad extension at the end": change(final_extensions=",key"),
    "empty proof": change(proof=b""),
    "short proof": change(proof=b"x" * 31),
    "long proof": change(proof=b"x" * 33),
    "proof of zeros": change(proof=bytes(32)),
    "empty end": change(whole_final=b""),
    "garbage at the end": change(whole_final=b"\xff\xfe\0"),
    "the end without a proof": change(whole_final=b"c=biws,r=abc"),
    "another nonce": change(whole_final=b"c=biws,r=abc,p=" + b"A" * 43 + b"="),
    "proof that is no base64": change(whole_final=b"c=biws,r=abc,p=*"),
    "proof without padding": change(whole_final=b"c=biws,r=abc,p=AAA"),
    "the first message again": change(whole_final=b"n,,n=alice,r=abc"),
    "token": Scram(SMALL, GIVEN, "", extensions=TOKEN),
    "token without tokenauth": Scram(SMALL, GIVEN, ""),
    "token with false": Scram(SMALL, GIVEN, "", extensions=",tokenauth=false"),
    "token with TRUE": Scram(SMALL, GIVEN, "", extensions=",tokenauth=TRUE"),
    "token and its id": Scram(SMALL, GIVEN, "", gs2="n,a=alice,", extensions=TOKEN),
    "unknown token": Scram(SMALL, "no-such-token", "x", extensions=TOKEN),
    "a user as a token": change(extensions=TOKEN),
}
FIRST = {
    "nothing": b"",
    "a NUL": b"\0",
    "no UTF-8": b"\xff\xfe\xfd",
    "only the header": b"n,,",
    "no nonce": b"n,,n=alice",
    "empty nonce": b"n,,n=alice,r=",
    "blank in the nonce": b"n,,n=alice,r=a b",
    "no UTF-8 in the nonce": b"n,,n=alice,r=\xff",
    "long nonce": b"n,,n=alice,r=" + b"x" * 2_000,
    "mandatory extension": b"n,,m=x,n=alice,r=abc",
    "nonce before the name": b"n,,r=abc,n=alice",
    "newline": b"n,,n=alice,r=abc\n",
    "name with a newline": b"n,,n=ali\nce,r=abc",
    "PLAIN": b"\0alice\0alice-secret",
    "the end at first": b"c=biws,r=abc,p=AAAA",
}


def _prefix(talk: Talk) -> None:
    """A nonce with signs that are allowed."""
    talk.nonce = "!\"#$%&'()*+-./:;<=>?@[]^_`{|}~"


def _login(login: Scram, version: int = 1) -> tuple[Step, ...]:
    return handshake(login.mechanism, version), login, serves


SCRIPTS = [
    *(Script(f"SCRAM, {name}", _login(login)) for name, login in LOGINS.items()),
    *(
        Script(f"SCRAM by raw tokens, {name}", _login(LOGINS[name], 0))
        for name in ("alice", "wrong password", "binding y", "short proof", "token", "empty end")
    ),
    *(
        Script(f"SCRAM-SHA-512, {name}", _login(LOGINS[name]._replace(mechanism=LARGE)))
        for name in ("alice", "16384 iterations", "wrong password", "short proof", "token")
    ),
    *(
        Script(f"SCRAM by TLS, {name}", _login(LOGINS[name]), ENCRYPTED)
        for name in ("alice", "wrong password", "binding y", "binding p", "token")
    ),
    *(
        Script(f"SCRAM v{n} begins with {name}", (handshake(SMALL, n), token(data), serves))
        for name, data in FIRST.items()
        for n in (0, 1)
    ),
    Script("SCRAM, signs in the nonce", (handshake(SMALL), _prefix, change(), serves)),
    Script("SCRAM, twice", (handshake(SMALL), change(), change(), serves)),
    Script(
        "SCRAM, another mechanism's tokens",
        (handshake(SMALL), token(b"n,,n=alice,r=abc"), token(b"\0alice\0alice-secret")),
    ),
]
