"""zookeeper-shell: its commands, from the words of the command line or from standard input.

Source: org.apache.zookeeper.ZooKeeperMain of 3.8. What is not here: watches, quotas.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from kazoo import exceptions

from pykafka_ops.commands.framework.run import Run
from pykafka_ops.commands.zookeeper.session import ZnodeSession, address, connected, lost, stat_of
from pykafka_ops.commands.zookeeper.znodes import ZnodeStat, walk
from pykafka_ops.errors import PkoError, UsageError
from pykafka_ops.zookeeper.acls import parse_acls, permissions

EVENT = "\nWATCHER::\n\nWatchedEvent state:{} type:None path:null\n"
UNKNOWN = 127
WRONG = {
    exceptions.NoNodeError: "Node does not exist: ",
    exceptions.NodeExistsError: "Node already exists: ",
    exceptions.NotEmptyError: "Node not empty: ",
    exceptions.BadVersionError: "version No is not valid : ",
    exceptions.NoAuthError: "Insufficient permission : ",
    exceptions.InvalidACLError: "Acl is not valid : ",
}
"""What stands before the path."""


class CommandError(UsageError):
    """The command is not what the shell takes; the text is its usage."""


class ShellWords(NamedTuple):
    """A command's switches, its options with values, and the rest."""

    switches: str
    options: dict[str, str]
    rest: list[str]


def shell(run: Run) -> int:
    """Run one command, or all that standard input holds; the exit code of the last."""
    hosts = address(run.args.text("zookeeper"), run.env)
    words = run.args.texts("command")
    flags = run.args.flags
    if flags:
        sys.stdout.write(f"Connecting to {hosts}\n")
        sys.stdout.write("" if words else "Welcome to ZooKeeper!\nJLine support is disabled\n")
        sys.stdout.flush()
    with connected(run) as session:
        if flags:
            states = [
                "SyncConnected",
                *(["SaslAuthenticated"] if session.client.access.login else []),
            ]
            sys.stdout.write("".join(map(EVENT.format, states)))
        if words:
            return run_line(session, words)
        return _interactive(session)


def _interactive(session: ZnodeSession) -> int:
    code = 0
    if sys.stdin.isatty():
        sys.stderr.write(f"{', '.join(sorted(COMMANDS))}; quit ends\n")
    for line in sys.stdin:
        try:
            words = shlex.split(line)
        except ValueError as error:
            sys.stderr.write(f"{error}\n")
            code = 1
            continue
        if words[:1] == ["quit"]:
            break
        if words:
            code = run_line(session, words)
        sys.stdout.flush()
    return code


def run_line(session: ZnodeSession, words: Sequence[str]) -> int:
    """One command; what went wrong is said on stderr in the shell's words."""
    name = words[0]
    if name not in COMMANDS:
        lines = [f"\t{known} {COMMANDS[known][1]}\n" for known in sorted(COMMANDS)]
        sys.stderr.write("".join([f"Command not found {name}; there are\n", *lines]))
        return UNKNOWN
    action, usage, letters = COMMANDS[name]
    path = ""
    try:
        found = _words(name, usage, letters, words[1:])
        path = found.rest[0] if found.rest else "/"
        action(session, found)
    except CommandError as error:
        sys.stderr.write(f"{error}\n")
    except exceptions.KazooException as error:
        sys.stderr.write(f"{_wrong(error, path)}\n")
    except PkoError as error:
        if error.exit_code == 3:
            raise
        sys.stderr.write(f"{error}\n")
    else:
        return 0
    return 1


def _wrong(error: exceptions.KazooException, path: str) -> str:
    for kind, text in WRONG.items():
        if isinstance(error, kind):
            return f"{text}{path}"
    if isinstance(error, exceptions.AuthFailedError):
        return "Authentication failed"
    raise lost(error)


def _words(name: str, usage: str, letters: str, given: Sequence[str]) -> ShellWords:
    """``letters``: the switches; those before a colon take a value."""
    switches, options, rest = "", {}, []
    left = list(given)
    while left:
        word = left.pop(0)
        if len(word) == 2 and word[0] == "-" and word[1] in letters:
            if f"{word[1]}:" in letters:
                if not left:
                    raise CommandError(f"{name} {usage}")
                options[word[1]] = left.pop(0)
            else:
                switches += word[1]
        else:
            rest.append(word)
    if usage and "path" in usage and "[path]" not in usage and not rest:
        raise CommandError(f"{name} {usage}")
    if "path" in usage and rest and not rest[0].startswith("/"):
        raise CommandError(f'Path must start with / character, but is "{rest[0]}"')
    return ShellWords(switches, options, rest)


# --- the commands --------------------------------------------------------------------------------


def _ls(session: ZnodeSession, words: ShellWords) -> None:
    path = words.rest[0]
    if "R" in words.switches:
        sys.stdout.writelines(f"{found}\n" for found in _in_shell_order(session, path))
        return
    names, stat = session.client.get_children(path, include_data=True)
    sys.stdout.write(f"[{', '.join(sorted(names))}]\n")
    _show(stat, words)


def _in_shell_order(session: ZnodeSession, top: str) -> Iterator[str]:
    """All paths: the children of a znode together, before what is below the first of them."""
    below: dict[str, list[str]] = {}
    for znode in walk(session, top):
        if znode.path != top:
            below.setdefault(znode.path.rpartition("/")[0] or "/", []).append(znode.path)
    yield top
    pending = [top]
    while pending:
        children = below.get(pending.pop(), ())
        yield from children
        pending += reversed(children)


def _get(session: ZnodeSession, words: ShellWords) -> None:
    data, stat = session.client.get(words.rest[0])
    text = "null" if data is None else data.decode(errors="replace")
    sys.stdout.write(f"{text}\n")
    _show(stat, words)


def _stat(session: ZnodeSession, words: ShellWords) -> None:
    stat = session.client.exists(words.rest[0])
    if stat is None:
        raise exceptions.NoNodeError
    sys.stdout.write(_lines(stat_of(stat)))


def _set(session: ZnodeSession, words: ShellWords) -> None:
    if len(words.rest) < 2:
        raise CommandError(f"set {COMMANDS['set'][1]}")
    stat = session.client.set(words.rest[0], words.rest[1].encode(), version=_version(words))
    _show(stat, words)


def _create(session: ZnodeSession, words: ShellWords) -> None:
    data = words.rest[1].encode() if len(words.rest) > 1 else b""
    acls = _acls(words.rest[2]) if len(words.rest) > 2 else None
    made = session.client.create(
        words.rest[0], data, acls, ephemeral="e" in words.switches, sequence="s" in words.switches
    )
    sys.stderr.write(f"Created {made}\n")


def _delete(session: ZnodeSession, words: ShellWords) -> None:
    session.client.delete(words.rest[0], version=_version(words))


def _deleteall(session: ZnodeSession, words: ShellWords) -> None:
    if not session.client.exists(words.rest[0]):
        raise exceptions.NoNodeError
    session.client.delete(words.rest[0], recursive=True)


def _get_acl(session: ZnodeSession, words: ShellWords) -> None:
    acls, stat = session.client.get_acls(words.rest[0])
    for acl in acls:
        sys.stdout.write(f"'{acl.id.scheme},'{acl.id.id}\n: {permissions(acl)}\n")
    _show(stat, words)


def _set_acl(session: ZnodeSession, words: ShellWords) -> None:
    if len(words.rest) < 2:
        raise CommandError(f"setAcl {COMMANDS['setAcl'][1]}")
    top, acls = words.rest[0], _acls(words.rest[1])
    version = _version(words)
    paths = [znode.path for znode in walk(session, top)] if "R" in words.switches else [top]
    for path in paths:
        stat = session.client.set_acls(path, acls, version)
        _show(stat, words)


def _acls(text: str) -> list[Any]:
    try:
        return parse_acls(text)
    except ValueError as error:
        raise CommandError(str(error)) from None


def _add_auth(session: ZnodeSession, words: ShellWords) -> None:
    if not words.rest:
        raise CommandError(f"addauth {COMMANDS['addauth'][1]}")
    session.client.add_auth(words.rest[0], words.rest[1] if len(words.rest) > 1 else "")


def _count(session: ZnodeSession, words: ShellWords) -> None:
    sys.stdout.write(f"{sum(1 for _ in walk(session, words.rest[0])) - 1}\n")


def _version_of_ours(session: ZnodeSession, words: ShellWords) -> None:
    from pykafka_ops import __version__

    sys.stdout.write(f"ZooKeeper CLI version: pko {__version__}\n")


def _version(words: ShellWords) -> int:
    text = words.options.get("v", "-1")
    try:
        return int(text)
    except ValueError:
        raise CommandError(f'For input string: "{text}"') from None


def _show(stat: Any, words: ShellWords) -> None:
    if "s" in words.switches:
        sys.stdout.write(_lines(stat_of(stat)))


def _lines(stat: ZnodeStat) -> str:
    return (
        f"cZxid = {stat.czxid:#x}\nctime = {_date(stat.ctime)}\n"
        f"mZxid = {stat.mzxid:#x}\nmtime = {_date(stat.mtime)}\npZxid = {stat.pzxid:#x}\n"
        f"cversion = {stat.cversion}\ndataVersion = {stat.version}\naclVersion = {stat.aversion}\n"
        f"ephemeralOwner = {stat.owner:#x}\ndataLength = {stat.length}\n"
        f"numChildren = {stat.children}\n"
    )


def _date(milliseconds: int) -> str:
    """As Java's Date, in UTC."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%a %b %d %H:%M:%S UTC %Y")


COMMANDS: dict[str, tuple[Callable[[ZnodeSession, ShellWords], None], str, str]] = {
    "addauth": (_add_auth, "scheme auth", ""),
    "create": (_create, "[-s] [-e] path [data] [acl]", "se"),
    "delete": (_delete, "[-v version] path", "v:"),
    "deleteall": (_deleteall, "path", ""),
    "get": (_get, "[-s] path", "sw"),
    "getAcl": (_get_acl, "[-s] path", "s"),
    "getAllChildrenNumber": (_count, "path", ""),
    "ls": (_ls, "[-s] [-R] path", "swR"),
    "set": (_set, "[-s] [-v version] path data", "sv:"),
    "setAcl": (_set_acl, "[-s] [-v version] [-R] path acl", "sRv:"),
    "stat": (_stat, "path", "w"),
    "version": (_version_of_ours, "", ""),
}
"""What it does, its usage, its options (a watch, -w, is taken and ignored)."""
