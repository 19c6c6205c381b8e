"""``pko zookeeper-acls`` and zookeeper-security-migration: options and checks."""

from __future__ import annotations

import sys

from pykafka_ops.commands.framework.options import TLS_FILE, Args, Command, Opt, OptionError, Verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pykafka_ops.commands.framework.context import Context
    from pykafka_ops.errors import PkoError

WORDS = ("secure", "unsecure")
PURPOSE = (
    "ZooKeeper Migration Tool Help. This tool updates the ACLs of znodes as part of the process of "
    "setting up ZooKeeper authentication."
)
_WHERE = ("zookeeper.connect", "zookeeper.session.timeout", "zookeeper.connection.timeout",
          "enable.path.check", "zk-tls-config-file")  # fmt: skip


def check(args: Args) -> None:
    """ZkSecurityMigrator's options."""
    args.number("zookeeper.session.timeout")
    args.number("zookeeper.connection.timeout")
    if args.text("zookeeper.acl") not in WORDS:
        raise OptionError(f"--zookeeper.acl: one of {', '.join(WORDS)}")


def failure(error: PkoError, ctx: Context) -> int:
    """The message on stderr, 1."""
    sys.stderr.write(f"ERROR: {error}\n")
    return 1


COMMAND = Command(
    "zookeeper-acls",
    PURPOSE,
    (
        Opt("zookeeper.acl", "whether the znodes shall belong to the login and be closed to others "
            "(secure), or to everybody (unsecure)", "secure|unsecure"),
        Opt("zookeeper.connect", "the ensemble: host:port,host:port[/chroot]", "HOST:PORT",
            default="localhost:2181"),
        Opt("zookeeper.session.timeout", "session timeout (ms)", "MS", kind="int",
            default="30000"),
        Opt("zookeeper.connection.timeout", "time to wait for a connection (ms)", "MS", kind="int",
            default="30000"),
        Opt("enable.path.check", "change nothing below if one of the paths that Kafka makes is not "
            "there: the chroot may be wrong"),
        TLS_FILE,
    ),
    (
        Verb("secure", "let the znodes belong to this login, which the brokers must have, too",
             "zk.migrate:migrate", options=_WHERE,
             examples=("pko zookeeper-acls secure --zookeeper.connect zk1:2181/kafka",)),
        Verb("unsecure", "let everybody change the znodes", "zk.migrate:migrate", options=_WHERE,
             examples=("pko zookeeper-acls unsecure --zk-tls-config-file tls.properties",)),
    ),
    tool="zookeeper-security-migration",
    check=check,
    failure=failure,
)  # fmt: skip
