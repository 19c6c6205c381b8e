"""Secrets that a profile names by where they are: a file, a variable, a command that prints them.

``{ file = "~/.kafka/password" }``, ``{ env = "KAFKA_PASSWORD" }``, ``{ command = "pass kafka" }``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from pykafka_ops.errors import UsageError

PLACES = ("file", "env", "command")
COMMAND_SECONDS = 60.0
"""How long a command may take: it may ask for a passphrase."""
_MODULES = {
    "PLAIN": "plain.PlainLoginModule",
    "SCRAM-SHA-256": "scram.ScramLoginModule",
    "SCRAM-SHA-512": "scram.ScramLoginModule",
    "OAUTHBEARER": "oauthbearer.OAuthBearerLoginModule",
}
_LOGIN_KEYS = ("user", "password", "token", "keytab")
_KERBEROS = "com.sun.security.auth.module.Krb5LoginModule"


def text_of(value: object, env: Mapping[str, str], where: str) -> str:
    """A value of a profile as text: a table is a secret's place. ``where`` names the value.
    UsageError, which never shows a secret."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return secret(value, env, where) if isinstance(value, dict) else str(value)


def secret(place: Mapping[str, object], env: Mapping[str, str], where: str) -> str:
    """What is at ``place``, without the line's end; UsageError."""
    (kind, at), *more = list(place.items()) or [("", "")]
    if more or kind not in PLACES or not isinstance(at, str) or not at:
        known = ", ".join(f'{{ {each} = "..." }}' for each in PLACES)
        raise UsageError(f"{where}: a secret is one of {known}")
    if kind == "env":
        found = env.get(at, "")
    elif kind == "file":
        found = _of_file(os.path.expanduser(at), where)
    else:
        found = _of_command(at, where)
    if not found:
        raise UsageError(f"{where}: {kind} {at} gives nothing")
    return found


def login(table: object, mechanism: str, env: Mapping[str, str], where: str) -> str:
    """``[profiles.NAME.login]`` as the line of ``sasl.jaas.config``; UsageError.

    ``user`` and ``password`` are the client's id and secret where a provider gives tokens
    (OAUTHBEARER). ``token = true``: they are those of a delegation token. With GSSAPI ``user`` is
    a principal, and ``keytab`` the file with its key; without a keytab kinit's ticket counts.
    """
    if not isinstance(table, dict) or set(table) - set(_LOGIN_KEYS):
        raise UsageError(f"{where}: its keys are {', '.join(_LOGIN_KEYS)}")
    if mechanism != "GSSAPI" and mechanism not in _MODULES:
        known = ", ".join((*_MODULES, "GSSAPI"))
        raise UsageError(f"{where}: set sasl.mechanism among the settings to one of {known}")
    from pykafka_ops.security.jaas import Module, line

    if mechanism == "GSSAPI":
        return line(Module(_KERBEROS, "required", _kerberos(table, env, where)))
    if "keytab" in table:
        raise UsageError(f"{where}: keytab is for sasl.mechanism GSSAPI, not {mechanism}")
    names = ("clientId", "clientSecret") if mechanism == "OAUTHBEARER" else ("username", "password")
    options = {}
    for key, name in zip(("user", "password"), names, strict=True):
        if key not in table:
            raise UsageError(f"{where}: there is no {key}")
        options[name] = text_of(table[key], env, f"{where}.{key}")
    if table.get("token") is True:
        options["tokenauth"] = "true"
    return line(
        Module(f"org.apache.kafka.common.security.{_MODULES[mechanism]}", "required", options)
    )


def _kerberos(table: Mapping[str, object], env: Mapping[str, str], where: str) -> dict[str, str]:
    """The options of the login module of Kerberos."""
    if set(table) - {"user", "keytab"}:
        raise UsageError(f"{where}: with GSSAPI its keys are user and keytab")
    user = text_of(table.get("user", ""), env, f"{where}.user")
    if "keytab" not in table:
        return {"useTicketCache": "true", **({"principal": user} if user else {})}
    if not user:
        raise UsageError(f"{where}: there is no user: the principal whose key is in the keytab")
    keytab = os.path.expanduser(text_of(table["keytab"], env, f"{where}.keytab"))
    return {"useKeyTab": "true", "storeKey": "true", "keyTab": keytab, "principal": user}


def _of_file(path: str, where: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read(1 << 20).rstrip("\r\n")
    except OSError as error:
        raise UsageError(f"{where}: {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{where}: {path}: not text in UTF-8") from None


def _of_command(line: str, where: str) -> str:
    import shlex
    import subprocess

    try:
        done = subprocess.run(
            shlex.split(line), stdout=subprocess.PIPE, timeout=COMMAND_SECONDS, check=False
        )
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"{where}: command {line}: {why}") from None
    except subprocess.TimeoutExpired:
        raise UsageError(f"{where}: command {line}: no end within {COMMAND_SECONDS:g} s") from None
    if done.returncode:
        raise UsageError(f"{where}: command {line}: exit code {done.returncode}")
    return done.stdout.decode("utf-8", "replace").rstrip("\r\n")
