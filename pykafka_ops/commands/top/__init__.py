"""``pko top``: a cluster in a terminal, by keys."""

from __future__ import annotations

from pykafka_ops.commands.framework.group import Single
from pykafka_ops.commands.framework.params import Option, Switch
from pykafka_ops.commands.framework.run import Result, Run
from pykafka_ops.commands.framework.types import FILE_PATH, GROUP_NAME, SPAN, TOPIC_NAME

# fmt: off
OPTIONS = (
    Option("--every", metavar="SPAN", type=SPAN, default="5s", ours=True,
           help="how often to ask the cluster"),
    Option("--group", metavar="GROUP", type=GROUP_NAME, ours=True,
           help="begin with this group"),
    Option("--topic", metavar="TOPIC", type=TOPIC_NAME, ours=True,
           help="begin with this topic"),
    Option("--monitor", metavar="URL", ours=True,
           help="show what a monitor (pko monitor run) knows, http://HOST:PORT; brokers are "
           "asked for records and actions only, with -b"),
    Option("--cluster", metavar="NAME", ours=True,
           help="which cluster of the monitor, if it watches several"),
    Option("--token-file", metavar="FILE", type=FILE_PATH, ours=True,
           help="a file with the token that the monitor asks for (or PKO_MONITOR_TOKEN)"),
    Switch("--actions", ours=True,
           help="allow changes of the cluster: electing preferred leaders, moving a group; each "
           "shows what it would do, and asks for the name to confirm"),
)
# fmt: on


def _top(run: Run) -> Result:
    from pykafka_ops.commands.top.run import top as work

    return work(run)


top = Single(
    "top",
    _top,
    bare=True,
    help="Watch a cluster in the terminal: what is broken, who suffers, records; by keys.",
    options=OPTIONS,
    examples=(
        "pko top -b localhost:9092",
        "pko top --group billing --every 2s",
        "pko top --topic orders --actions",
        "pko top --monitor http://127.0.0.1:8000 --cluster prod",
    ),
)
