"""Passwords that commands are given: from a file, a variable, a terminal or standard input; never
on the command line, which everybody on the machine can read."""

from __future__ import annotations

import getpass
import os
import sys

from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import UsageError

LONGEST = 4096
_SOURCES = ("password", "password-file", "password-env")


def is_given(run: Run) -> bool:
    """Whether the options say where a password comes from."""
    return any(run.args.has(name) for name in _SOURCES)


def password(run: Run, whose: str) -> str:
    """The password; UsageError, which does not show it."""
    args = run.args
    if sum(args.has(name) for name in _SOURCES) > 1:
        raise UsageError("a password comes from one place: --password, -file or -env")
    path, variable = args.text("password-file"), args.text("password-env")
    if path is not None:
        found, where = _of_file(os.path.expanduser(path)), path
    elif variable is not None:
        found, where = run.env.get(variable, ""), f"the variable {variable}"
    elif sys.stdin.isatty():
        found, where = _typed(whose), "what was typed"
    else:
        found, where = sys.stdin.readline(LONGEST + 2).rstrip("\r\n"), "standard input"
    if not found:
        raise UsageError(f"{where}: there is no password")
    if len(found) > LONGEST:
        raise UsageError(f"{where}: a password has up to {LONGEST} characters")
    return found


def _of_file(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.readline(LONGEST + 2).rstrip("\r\n")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not text in UTF-8") from None


def _typed(whose: str) -> str:
    found = getpass.getpass(f"password of {whose}: ")
    if getpass.getpass("once more: ") != found:
        raise UsageError("the passwords differ")
    return found
