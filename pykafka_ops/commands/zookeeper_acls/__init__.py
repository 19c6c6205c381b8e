"""``pko zookeeper-acls`` and zookeeper-security-migration."""

from __future__ import annotations

import sys

from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.params import Option, Switch
from pykafka_ops.commands.framework.run import Result, Run
from pykafka_ops.commands.framework.types import (
    POSITIVE_MILLIS,
)
from pykafka_ops.commands.kafka_syntax.tool import Tool
from pykafka_ops.commands.options import TLS_FILE
from pykafka_ops.errors import PkoError

# fmt: off
ACL = Option("--zookeeper.acl", metavar="secure|unsecure",
             help="whether the znodes belong to the login and are closed to others (secure), or "
             "to everybody (unsecure)")
ZOOKEEPER = Option("--zookeeper", kafka="zookeeper.connect", metavar="HOST:PORT",
                   default="localhost:2181", help="the ensemble: host:port,host:port[/chroot]")
SESSION_TIMEOUT = Option("--zookeeper.session.timeout", metavar="MS", type=POSITIVE_MILLIS,
                         default="30000", help="session timeout (ms)")
CONNECTION_TIMEOUT = Option("--zookeeper.connection.timeout", metavar="MS", type=POSITIVE_MILLIS,
                            default="30000", help="time to wait for a connection (ms)")
PATH_CHECK = Switch("--enable.path.check",
                    help="change nothing below if one of the paths that Kafka makes is missing: "
                    "the chroot may be wrong")
# fmt: on


def _check(args: Args) -> None:
    """ZkSecurityMigrator's options."""
    args.number("zookeeper.session.timeout")
    args.number("zookeeper.connection.timeout")
    if args.text("zookeeper.acl") not in ("secure", "unsecure"):
        raise OptionError("--zookeeper.acl: one of secure, unsecure")


def _failure(error: PkoError, run: Run) -> int:
    """The message on stderr, 1."""
    sys.stderr.write(f"ERROR: {error}\n")
    return 1


OPTIONS = (ZOOKEEPER, SESSION_TIMEOUT, CONNECTION_TIMEOUT, PATH_CHECK, TLS_FILE)
TOOL = Tool(
    "zookeeper-security-migration",
    "ZooKeeper Migration Tool Help. This tool updates the ACLs of znodes as part of the "
    "process of setting up ZooKeeper authentication.",
    options=(ACL,),
    check=_check,
    failure=_failure,
)


def _work(run: Run) -> Result:
    from pykafka_ops.commands.zookeeper_acls.migrate import migrate

    return migrate(run)


zookeeper_acls = VerbGroup(
    "zookeeper-acls", "Let Kafka's znodes belong to a login, or to everybody.", _work, tool=TOOL
)
zookeeper_acls.verb(
    "secure",
    "Let the znodes belong to this login, which the brokers must have too.",
    options=OPTIONS,
    examples=("pko zookeeper-acls secure --zookeeper zk1:2181/kafka",),
)
zookeeper_acls.verb(
    "unsecure",
    "Let everybody change the znodes.",
    options=OPTIONS,
    examples=("pko zookeeper-acls unsecure --zk-tls-config-file tls.properties",),
)
