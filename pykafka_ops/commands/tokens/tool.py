"""``--create``, ``--renew``, ``--expire`` and ``--describe`` of kafka-delegation-tokens."""

from __future__ import annotations

import binascii
import sys
import time
from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence

from pykafka_ops.client import tokens
from pykafka_ops.client.tokens import Token
from pykafka_ops.commands.framework.args import Args
from pykafka_ops.commands.framework.output import Table
from pykafka_ops.commands.framework.principal import kafka_principal
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.tokens.rows import tokens_table
from pykafka_ops.errors import PkoError

_ROW = "\n{:<15} {:<30} {:<15} {:<15} {:<25} {:<15} {:<15} {:<15}\n"
_TITLES = ("TOKENID", "HMAC", "OWNER", "REQUESTER", "RENEWERS", "ISSUEDATE", "EXPIRYDATE",
           "MAXDATE")  # fmt: skip
_BASE64 = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")


class HmacError(PkoError):
    """``--hmac`` is not what the tool printed; the text is that of java.util.Base64."""


def run_tool(run: Run) -> Table | int:
    """What the flags say. KafkaError, PkoError."""
    run.cluster()  # what is wrong with the client's settings is said before anything else
    if run.args.has("create"):
        return _create(run)
    if run.args.has("describe"):
        return _describe(run)
    return _change(run)


def _create(run: Run) -> Table | int:
    args = run.args
    renewers = _principals(args, "renewer-principal")
    life = args.number("max-life-time-period") or 0
    _say(run, f"Calling create token operation with renewers :{_list(renewers)} , "
              f"max-life-time-period :{life}\n")  # fmt: skip
    owners = _principals(args, "owner-principal")
    owner = owners[0] if owners else None
    token = tokens.create_token(run.cluster(), owner=owner, renewers=renewers, life=life)
    _say(run, f"Created delegation token with tokenId : {token.id}\n")
    return _shown(run, [token])


def _describe(run: Run) -> Table | int:
    owners = _principals(run.args, "owner-principal")
    whose = f"owners: {_list(owners)}" if owners else "current user."
    _say(run, f"Calling describe token operation for {whose}\n")
    found = tokens.describe_tokens(run.cluster(), owners)
    _say(run, f"Total number of tokens : {len(found)}")
    return _shown(run, found)


def _change(run: Run) -> int:
    args = run.args
    name = "renew" if args.has("renew") else "expire"
    period = args.number(f"{'renew' if name == 'renew' else 'expiry'}-time-period") or 0
    text = args.text("hmac") or ""
    sys.stdout.write(
        f"Calling {name} token operation with hmac :{text} , {name}-time-period :{period}\n"
    )
    change = tokens.renew_token if name == "renew" else tokens.expire_token
    expires = change(run.cluster(), _hmac(text), period)
    sys.stdout.write(f"Completed {name} operation. New expiry date : {_date(expires)}")
    return 0


def _principals(args: Args, option: str) -> list[str]:
    return [kafka_principal(text) for text in args.given(option) if text]


def _hmac(text: str) -> bytes:
    """From Base64; HmacError."""
    wrong = next((byte for byte in text.encode() if byte not in _BASE64), None)
    if wrong is not None:
        raise HmacError(f"Illegal base64 character {wrong:x}")
    try:
        return b64decode(text, validate=True)
    except binascii.Error:
        raise HmacError("Input byte array has wrong 4-byte ending unit") from None


def _say(run: Run, text: str) -> None:
    if run.output == "table":
        sys.stdout.write(text)
        sys.stdout.flush()


def _shown(run: Run, found: Sequence[Token]) -> Table | int:
    if run.output != "table":
        return tokens_table(found, secret=True)
    sys.stdout.writelines(_lines(found))
    return 0


def _lines(found: Sequence[Token]) -> Iterator[str]:
    yield _ROW.format(*_TITLES)
    for token in found:
        hmac = b64encode(token.hmac).decode()
        times = (_date(ms) for ms in (token.issued, token.expires, token.latest))
        yield _ROW.format(
            token.id, hmac, token.owner, token.requester, _list(token.renewers), *times
        )


def _list(names: Sequence[str]) -> str:
    """As Java prints a list."""
    return f"[{', '.join(names)}]"


def _date(ms: int) -> str:
    """SimpleDateFormat's, in the local time zone."""
    return time.strftime("%Y-%m-%dT%H:%M", time.localtime(ms / 1000))
