"""``--zookeeper`` of Kafka's tools before 3.0: the brokers are found there, then asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from pykafka_ops.commands.framework.output import say
from pykafka_ops.commands.framework.params import Option
from pykafka_ops.commands.framework.run import Run

if TYPE_CHECKING:
    from pykafka_ops.zookeeper.client import Client

ZOOKEEPER = Option("--zookeeper", metavar="HOST:PORT", stands_for="bootstrap-server",
                   help="old: HOST:PORT,HOST:PORT[/CHROOT] of the ZooKeeper that knows the "
                   "brokers; answers as the tool did before Kafka 3.0")  # fmt: skip
SHOWN: Final = 3
DEPRECATED: Final = (
    "Warning: --zookeeper is deprecated: Kafka's tools dropped it in 3.0; the brokers that it "
    "knows are asked: --bootstrap-server {servers}"
)


def is_old(run: Run) -> bool:
    """Whether the command line is one of before Kafka 3.0, to be answered as then."""
    return run.args.flags and run.args.has("zookeeper")


@contextmanager
def opened(run: Run) -> Iterator[Client]:
    """A client of what ``--zookeeper`` names. ConnectError, UsageError; PkoError for what ZooKeeper
    refuses in the block."""
    from kazoo.exceptions import KazooException
    from kazoo.handlers.threading import KazooTimeoutError

    from pykafka_ops.commands.zookeeper import session

    client = session.opened(run, run.args.text("zookeeper") or "", run.silence)
    try:
        yield client
    except (KazooException, KazooTimeoutError) as error:
        raise session.lost(error) from None
    finally:
        client.end()


def enter(run: Run, warning: str = DEPRECATED) -> None:
    """Find the brokers, and let them be those of ``--bootstrap-server``."""
    from pykafka_ops.zookeeper.brokers import addresses, registered

    with opened(run) as client:
        brokers = registered(client)
    protocol = run.properties().get("security.protocol", "PLAINTEXT").upper()
    servers = addresses(brokers, protocol)
    run.args.values["bootstrap-server"] = [",".join(servers)]
    shown = ",".join(servers[:SHOWN]) + (",..." if len(servers) > SHOWN else "")
    say(warning.format(servers=shown))
