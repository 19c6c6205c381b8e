"""``pko monitor``: watch clusters."""

from __future__ import annotations

from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.run import Result, Run, Work
from pykafka_ops.commands.framework.types import FILE_PATH, SPAN

# fmt: off
CONFIG = Option("--config", metavar="FILE", type=FILE_PATH, ours=True,
                help="monitor.toml: the clusters to watch and all else")
LISTEN = Option("--listen", metavar="HOST:PORT", ours=True,
                help="where to serve HTTP (default: 127.0.0.1:8000); port 0 for a free one")
DATA = Option("--data-dir", metavar="DIR", type=FILE_PATH, ours=True,
              help="directory of the monitor's files (default: ~/.local/share/pko/monitor)")
EVERY = Option("--every", metavar="SPAN", type=SPAN, ours=True,
               help="how often to ask a cluster (default: 15s)")
ALERT = Option("--alert", metavar="NAME", ours=True,
               help="a receiver [notify.NAME], or an alert whose receivers get the test")
INSECURE = Switch("--insecure", ours=True,
                  help="listen on an address that is not loopback, although there is no login")
NAME = Option("--name", metavar="NAME", ours=True, help="the user")
FILE = Option("--file", metavar="FILE", type=FILE_PATH, ours=True,
              help="the file of users (users-file of the configuration)")
# fmt: on


def _work(run: Run) -> Result:
    work: Work
    match run.args.verb:
        case "run":
            from pykafka_ops.commands.monitor.serve import serve as work
        case "check-config":
            from pykafka_ops.commands.monitor.check_config import check_config as work
        case "test-alert":
            from pykafka_ops.commands.monitor.test_alert import test_alert as work
        case "passwd":
            from pykafka_ops.commands.monitor.passwd import passwd as work
    return work(run)


monitor = VerbGroup("monitor", "Watch clusters: lag, brokers, topics, by HTTP.", _work)
monitor.verb(
    "run",
    "Watch the cluster of -b, or those of a configuration, until SIGTERM or Ctrl-C.",
    options=(CONFIG, LISTEN, DATA, EVERY, INSECURE),
    examples=(
        "pko monitor run -b localhost:9092",
        "pko monitor run --config monitor.toml --listen 127.0.0.1:8000",
    ),
)
monitor.verb(
    "check-config",
    "Check a configuration, and show what it watches.",
    words=(Words(CONFIG),),
    examples=("pko monitor check-config monitor.toml",),
)
monitor.verb(
    "test-alert",
    "Send a test alert, opened and resolved, to a receiver, or to those of an alert.",
    words=(Words(ALERT),),
    options=(CONFIG,),
    examples=("pko monitor test-alert ops --config monitor.toml",),
)
monitor.verb(
    "passwd",
    "Set the password of a user who may log in; it is asked for, or the first line of input.",
    words=(Words(NAME),),
    options=(FILE,),
    examples=("pko monitor passwd NAME --file /etc/pko/users",),
)
