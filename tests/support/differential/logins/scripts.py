"""All scripts of logins, and where our broker differs from Apache Kafka on purpose."""

from __future__ import annotations

from fnmatch import fnmatchcase
from itertools import takewhile
from typing import Final, NamedTuple

from tests.support.differential.logins import (
    again_scripts,
    any_order,
    first_scripts,
    scram_scripts,
    token_scripts,
)
from tests.support.differential.logins.talk import Script

SCRIPTS: Final[list[Script]] = [
    *first_scripts.SCRIPTS,
    *token_scripts.SCRIPTS,
    *scram_scripts.SCRIPTS,
    *again_scripts.SCRIPTS,
    *any_order.SCRIPTS,
]


class LoginDeviation(NamedTuple):
    """What differs in scripts of these names, and why: the notes from the first on that is not the
    same. All are globs."""

    scripts: str
    ours: str
    theirs: str
    reason: str

    def explains(self, name: str, ours: list[str], theirs: list[str]) -> bool:
        """Whether this is the difference that is meant."""
        pairs = zip(ours, theirs, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        return (
            fnmatchcase(name, self.scripts)
            and fnmatchcase("; ".join(ours[same:]), self.ours)
            and fnmatchcase("; ".join(theirs[same:]), self.theirs)
        )


UTF_8 = "ours takes no text that is not UTF-8, and no size below that of null"
RAW = "Kafka forgets its delay where a token without a header does not please a mechanism"
TRIPS = "Kafka trips over it; ours says that the login failed"
ABORTED = "after an error nothing but the client's abort is due (RFC 7628)"
DECOY = "ours does not tell who is known: all get a challenge"
BINDING = "Kafka does not look at the channel binding, which ought to be that of the first message"
PROVEN = "Kafka leaves extensions out of what is proven, against RFC 5802"
UNTOLD = "Kafka hangs up without the answer that it has prepared"
DEVIATIONS: Final[list[LoginDeviation]] = [
    LoginDeviation("a * that is no UTF-8*", "hung up*", "*bytes: *", UTF_8),
    LoginDeviation("a client id of size -2*", "hung up*", "*bytes: *", UTF_8),
    LoginDeviation("OAUTHBEARER v0, *", "*hung up, late", "hung up", RAW),
    LoginDeviation("SCRAM v0 *", "*hung up, late", "hung up", RAW),
    LoginDeviation("SCRAM by raw tokens, *", "hung up, late", "hung up", RAW),
    LoginDeviation("OAUTHBEARER v1, *", "*late; error 58: *; hung up", "hung up", TRIPS),
    LoginDeviation("SCRAM*, * proof", "late; error 58: *; hung up", "hung up", TRIPS),
    LoginDeviation(
        "OAUTHBEARER again instead of an abort",
        "late; error 58: *; hung up",
        "lifetime *; answered MetadataResponse",
        ABORTED,
    ),
    LoginDeviation(
        "OAUTHBEARER, nothing instead of an abort",
        "error 58: {*}; hung up",
        "error 58: *; hung up",
        ABORTED,
    ),
    LoginDeviation(
        "SCRAM*",
        "lifetime 0; message ; *challenge*; late; *",
        "late; error 58: *; hung up",
        DECOY,
    ),
    LoginDeviation(
        "SCRAM, * binding at the end",
        "late; error 58: *; hung up",
        "lifetime 0; *answered MetadataResponse",
        BINDING,
    ),
    LoginDeviation(
        "SCRAM, extension at the end",
        "lifetime 0; *answered MetadataResponse",
        "late; error 58: *; hung up",
        PROVEN,
    ),
    LoginDeviation("*", "late; handshake 33 *; hung up", "hung up", UNTOLD),
]
