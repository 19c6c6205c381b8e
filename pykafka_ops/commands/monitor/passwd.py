"""``pko monitor passwd``: a user's password, never on a command line."""

from __future__ import annotations

import getpass
import os
import sys

from pykafka_ops.commands.framework.output import say
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import UsageError
from pykafka_ops.monitor.access.passwords import LONGEST
from pykafka_ops.monitor.access.users import checked_name, put

LEAST = 8


def passwd(run: Run) -> int:
    """Set it in the file, which is made where there is none."""
    path = run.args.text("file")
    if path is None:
        raise UsageError("which file? give --file FILE")
    name = checked_name(run.args.texts("name")[0])
    new = put(os.path.expanduser(path), name, _password(name))
    say(f"{path}: {'added' if new else 'changed'} {name}")
    return 0


def _password(name: str) -> str:
    if sys.stdin.isatty():
        password = getpass.getpass(f"password of {name}: ")
        if getpass.getpass("once more: ") != password:
            raise UsageError("the passwords differ")
    else:
        password = sys.stdin.readline(LONGEST + 2).rstrip("\r\n")
    if not LEAST <= len(password) <= LONGEST:
        raise UsageError(f"a password has {LEAST} to {LONGEST} characters")
    return password
