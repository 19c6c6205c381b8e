"""zookeeper-shell's command line: ``HOST:PORT[/CHROOT] [COMMAND WORD...]``."""

from __future__ import annotations

from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.tongue.tool import Tool

USAGE = "USAGE: zookeeper-shell.sh zookeeper_host:port[/path] [-zk-tls-config-file file] [args...]"
_WITH_VALUE = ("-timeout", "-client-configuration")
TLS, READ_ONLY = "-zk-tls-config-file", "-r"
_ALONE = (READ_ONLY, "-waitforconnection")


def read(tool: Tool, words: list[str]) -> Args:
    """The arguments of ``pko zookeeper shell``; OptionError."""
    rest, tls = _without_tls(words)
    rest = rest[1:] if rest[:1] == ["-server"] else rest
    if not rest or rest[0] in ("-h", "-help", "--help"):
        raise OptionError(USAGE)
    args = Args(tool.options, "shell", flags=True)
    args.values["zookeeper"] = [rest.pop(0)]
    while rest and rest[0].startswith("-"):
        word = rest.pop(0)
        if word in _WITH_VALUE and rest:
            rest.pop(0)
        elif tls is not None and word == READ_ONLY:
            raise OptionError(
                f"read-only mode ({word}) is not supported with an explicit TLS config ({TLS})"
            )
        elif word not in _ALONE:
            raise OptionError(f"no such option: {word}\n{USAGE}")
    if rest:
        args.values["command"] = list(rest)
    if tls is not None:
        args.values["zk-tls-config-file"] = [tls]
    return args


def _without_tls(words: list[str]) -> tuple[list[str], str | None]:
    """Kafka takes the file of TLS settings out first, wherever it stands."""
    if TLS not in words:
        return list(words), None
    at = words.index(TLS)
    if at == len(words) - 1:
        raise OptionError(f"Error: no filename provided with option {TLS}")
    return words[:at] + words[at + 2 :], words[at + 1]
