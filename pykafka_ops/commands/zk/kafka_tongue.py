"""zookeeper-shell's command line: ``HOST:PORT[/CHROOT] [COMMAND WORD...]``."""

from __future__ import annotations

from pykafka_ops.commands._options import Args, Command, OptionError

USAGE = "USAGE: zookeeper-shell.sh zookeeper_host:port[/path] [-zk-tls-config-file file] [args...]"
_WITH_VALUE = ("-timeout", "-client-configuration")
_ALONE = ("-r", "-waitforconnection")


def parse(command: Command, words: list[str]) -> Args:
    """The arguments of ``pko zookeeper shell``; OptionError."""
    rest = words[1:] if words[:1] == ["-server"] else list(words)
    if not rest or rest[0] in ("-h", "-help", "--help"):
        raise OptionError(USAGE)
    verb = command.verb("shell")
    assert verb is not None
    args = Args(command, verb, flags=True)
    args.values["zookeeper"] = [rest.pop(0)]
    while rest and rest[0].startswith("-"):
        word = rest.pop(0)
        if word in _WITH_VALUE and rest:
            rest.pop(0)
        elif word == "-zk-tls-config-file":
            raise OptionError("-zk-tls-config-file is not supported: TLS to ZooKeeper is not built")
        elif word not in _ALONE:
            raise OptionError(f"no such option: {word}\n{USAGE}")
    if rest:
        args.values["command"] = rest
    return args
