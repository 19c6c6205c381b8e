"""``pko zookeeper``: look at Kafka's znodes (``zk/``), and run a ZooKeeper (``_zookeeper_run``)."""

from __future__ import annotations

from pykafka_ops.commands.framework.options import TLS_FILE, Command, Opt, Pos, Verb
from pykafka_ops.commands.zk import run as running

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pykafka_ops.commands.framework.options import Args


def _tongue(command: Command, words: list[str]) -> Args:
    from pykafka_ops.commands.zk.kafka_tongue import parse

    return parse(command, words)


_WHERE = ("zookeeper", "zk-tls-config-file", "store")
COMMAND = Command(
    "zookeeper",
    "Look at the znodes that Kafka keeps in ZooKeeper, and run a ZooKeeper. A login comes from the "
    "section Client of a JAAS file: KAFKA_OPTS=-Djava.security.auth.login.config=FILE.",
    (
        Opt("zookeeper", "the ensemble: host:port,host:port[/chroot]; else PKO_ZOOKEEPER",
            "HOST:PORT", ours=True),
        Opt("store", "instead: the data directory of a broker of ours without ZooKeeper", "DIR",
            ours=True, complete="file"),
        Opt("path", "the znode, from the chroot on", "PATH", ours=True),
        Opt("stat", "the znode's times, versions and owner, too", ours=True, short="s"),
        Opt("raw", "the bytes as they are, secrets included", ours=True),
        Opt("acl", "who may do what with the znode, too", ours=True),
        TLS_FILE,
        Opt("watch", "again after each change, until Ctrl-C", ours=True, short="w"),
        Opt("depth", "how many levels below the znode", "N", kind="int", ours=True),
        Opt("command", "ls, get, stat, set, create, delete, deleteall, getAcl, setAcl, addauth, "
            "with their own options", "COMMAND", ours=True, many=True),
        *running.OPTIONS,
    ),
    (
        Verb("get", "one znode, decoded (exit code 4 where a broker could not read it)",
             "zk.get:get", words=(Pos("path"),),
             options=(*_WHERE, "stat", "acl", "raw", "watch"),
             examples=("pko zookeeper get /controller --zookeeper localhost:2181",
                       "pko zookeeper get /brokers/topics/orders -o json",
                       "pko zookeeper get /controller --watch")),
        Verb("tree", "a znode and all below it, decoded", "zk.tree:tree",
             words=(Pos("path", "?"),), options=(*_WHERE, "depth"),
             examples=("pko zookeeper tree /brokers", "pko zookeeper tree / --depth 1",
                       "pko zookeeper tree --store /var/lib/kafka")),
        Verb("check", "the znodes that a broker could not read (exit code 4 if any)",
             "zk.tree:check", words=(Pos("path", "?"),), options=_WHERE,
             examples=("pko zookeeper check",)),
        Verb("ls", "the children of a znode", "zk.listing:ls", words=(Pos("path", "?"),),
             options=_WHERE,
             examples=("pko zookeeper ls /brokers/ids --zookeeper localhost:2181",)),
        Verb("shell", "a command of zookeeper-shell, or all that standard input holds",
             "zk.shell:shell", words=(Pos("command", "*", "COMMAND"),), verbatim=True,
             options=("zookeeper", "zk-tls-config-file"),
             examples=("pko zookeeper shell --zookeeper localhost:2181 ls -R /config",)),
        *running.VERBS,
    ),
    parser="argparse",
    tongue=_tongue,
)  # fmt: skip
