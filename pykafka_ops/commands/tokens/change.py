"""``pko tokens renew`` and ``expire``: by the token's id, which is no secret."""

from __future__ import annotations

import binascii
import os
from base64 import b64decode

from pykafka_ops.analysis.moments import moment_text
from pykafka_ops.analysis.near import did_you_mean
from pykafka_ops.client.tokens import describe_tokens, expire_token, renew_token
from pykafka_ops.commands.framework.output import Column, Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import KafkaError, UsageError
from pykafka_ops.wire.codes import ErrorCode

COLUMNS = (Column("token", "TOKEN-ID"), Column("expires"))
NOW = -1


def renew(run: Run) -> Table:
    """Let it live for --for from now on, or as long as the brokers say."""
    name, hmac = _meant(run)
    period = run.args.span("for")
    return _changed(name, renew_token(run.cluster(), hmac, -1 if period is None else period))


def expire(run: Run) -> Table:
    """End it now, or after --in."""
    name, hmac = _meant(run)
    if run.args.has("dry-run"):
        return Table("tokens", COLUMNS, [{"token": name}], notes=["dry run: nothing was changed"])
    period = run.args.span("in")
    if not run.confirm(f"end token {name}: who logs in with it cannot any more", [name]):
        return Table("tokens", COLUMNS, [], notes=["nothing was changed"], exit_code=1)
    return _changed(name, expire_token(run.cluster(), hmac, NOW if period is None else period))


def _changed(name: str, expires: int) -> Table:
    return Table("tokens", COLUMNS, [{"token": name, "expires": moment_text(expires, parts=False)}])


def _meant(run: Run) -> tuple[str, bytes]:
    """A name for it, and its HMAC: from the file, or as the brokers tell who may see it."""
    name, path = run.args.text("token"), run.args.text("hmac-file")
    if (name is None) == (path is None):
        raise UsageError("which token? its TOKEN-ID, or --hmac-file FILE")
    if path is not None:
        return path, _of_file(os.path.expanduser(path))
    known = {token.id: token for token in describe_tokens(run.cluster())}
    if name not in known:
        near = did_you_mean(str(name), known)
        text = f"token {name}: none that this login may see has the id{near}"
        raise KafkaError(ErrorCode.DELEGATION_TOKEN_NOT_FOUND, text)
    return str(name), known[name].hmac


def _of_file(path: str) -> bytes:
    try:
        with open(path, encoding="ascii") as file:
            found = b64decode(file.readline(4096).strip(), validate=True)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except (binascii.Error, UnicodeDecodeError):
        raise UsageError(f"{path}: its first line is no HMAC in Base64") from None
    if not found:
        raise UsageError(f"{path}: there is no HMAC")
    return found
