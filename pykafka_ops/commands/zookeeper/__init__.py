"""``pko zookeeper`` and zookeeper-shell."""

from __future__ import annotations

import click

from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.run import Result, Run, Work
from pykafka_ops.commands.framework.types import COUNT, FILE_PATH
from pykafka_ops.commands.kafka_syntax.tool import Tool
from pykafka_ops.commands.options import TLS_FILE

# fmt: off
# znodes
ZOOKEEPER = Option("--zookeeper", metavar="HOST:PORT", ours=True,
                   help="the ensemble: host:port,host:port[/chroot]; else PKO_ZOOKEEPER")
STORE = Option("--store", metavar="DIR", type=FILE_PATH, ours=True,
               help="instead: the data directory of a broker of ours without ZooKeeper")
PATH = Option("--path", metavar="PATH", ours=True, help="the znode, from the chroot on")
STAT = Switch("-s", "--stat", ours=True, help="show the znode's times, versions and owner too")
ACL = Switch("--acl", ours=True, help="show who may do what with the znode too")
RAW = Switch("--raw", ours=True, help="show the bytes as they are, secrets included")
WATCH = Switch("-w", "--watch", ours=True, help="show it again after each change, until Ctrl-C")
DEPTH = Option("--depth", metavar="N", type=COUNT, ours=True,
               help="how many levels below the znode")
COMMAND = Option("--command", metavar="COMMAND", multiple=True, ours=True,
                 help="ls, get, stat, set, create, delete, deleteall, getAcl, setAcl, addauth, "
                 "with their own options")

# a ZooKeeper as a process
ZOOKEEPER_FILE = Option("--zookeeper-file", metavar="ZOOKEEPER.PROPERTIES", type=FILE_PATH,
                        ours=True, hidden=True, help="a file of ZooKeeper's settings")
DATA_DIR = Option("--data-dir", metavar="DIR", type=FILE_PATH, ours=True,
                  help="directory of ZooKeeper's data, settings, log and pid file "
                  "(default: ~/.local/share/pko/zookeeper)")
PORT = Option("--port", metavar="PORT", type=click.IntRange(0, 65535), ours=True,
              help="port of clients, 0 for a free one (without a file: 2181)")
DAEMON = Switch("--daemon", ours=True, help="go to the background once clients are served")
# fmt: on

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


WHERE = (ZOOKEEPER, TLS_FILE, STORE)
FILE = Words(ZOOKEEPER_FILE, "?")
TOOL = Tool(
    "zookeeper-shell",
    "Look at the znodes that Kafka keeps in ZooKeeper, and run a ZooKeeper. A login "
    "comes from the section Client of a JAAS file: "
    "KAFKA_OPTS=-Djava.security.auth.login.config=FILE.",
    read=read,
    has_verbs=True,
)


def _work(run: Run) -> Result:
    work: Work
    match run.args.verb:
        case "get":
            from pykafka_ops.commands.zookeeper.get import get as work
        case "tree":
            from pykafka_ops.commands.zookeeper.tree import tree as work
        case "check":
            from pykafka_ops.commands.zookeeper.check import check as work
        case "ls":
            from pykafka_ops.commands.zookeeper.ls import ls as work
        case "shell":
            from pykafka_ops.commands.zookeeper.shell import shell as work
        case "start":
            from pykafka_ops.commands.zookeeper.start import start as work
        case "stop":
            from pykafka_ops.commands.zookeeper.stop import stop as work
        case "status":
            from pykafka_ops.commands.zookeeper.status import status as work
    return work(run)


zookeeper = VerbGroup("zookeeper", "Kafka's znodes, decoded; run a ZooKeeper.", _work, tool=TOOL)
zookeeper.verb(
    "get",
    "Show a znode, decoded; exit code 4 if a broker could not read it.",
    words=(Words(PATH),),
    options=(*WHERE, STAT, ACL, RAW, WATCH),
    examples=(
        "pko zookeeper get /controller --zookeeper localhost:2181",
        "pko zookeeper get /brokers/topics/orders -o json",
        "pko zookeeper get /controller --watch",
    ),
)
zookeeper.verb(
    "tree",
    "Show a znode and all below it, decoded.",
    words=(Words(PATH, "?"),),
    options=(*WHERE, DEPTH),
    examples=(
        "pko zookeeper tree /brokers",
        "pko zookeeper tree / --depth 1",
        "pko zookeeper tree --store /var/lib/kafka",
    ),
)
zookeeper.verb(
    "check",
    "List the znodes that a broker could not read; exit code 4 if there are any.",
    words=(Words(PATH, "?"),),
    options=WHERE,
    examples=("pko zookeeper check",),
)
zookeeper.verb(
    "ls",
    "List the children of a znode.",
    words=(Words(PATH, "?"),),
    options=WHERE,
    examples=("pko zookeeper ls /brokers/ids --zookeeper localhost:2181",),
)
zookeeper.verb(
    "shell",
    "Run a command of zookeeper-shell, or all that standard input holds.",
    words=(Words(COMMAND, "*"),),
    options=(ZOOKEEPER, TLS_FILE),
    verbatim=True,
    examples=("pko zookeeper shell --zookeeper localhost:2181 ls -R /config",),
)
zookeeper.verb(
    "start",
    "Run the ZooKeeper that comes with PySpark.",
    words=(FILE,),
    options=(DATA_DIR, PORT, DAEMON),
    examples=(
        "pko zookeeper start --data-dir /tmp/zookeeper --daemon",
        "pko zookeeper start zookeeper.properties --port 0",
    ),
)
zookeeper.verb(
    "stop",
    "Stop the ZooKeeper of a directory.",
    words=(FILE,),
    options=(DATA_DIR,),
    examples=("pko zookeeper stop --data-dir /tmp/zookeeper",),
)
zookeeper.verb(
    "status",
    "Show whether the ZooKeeper of a directory runs; exit code 4 if not.",
    words=(FILE,),
    options=(DATA_DIR,),
    examples=("pko zookeeper status --data-dir /tmp/zookeeper -o json",),
)
