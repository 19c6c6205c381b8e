"""``pko smoke``: does a cluster really work?"""

from __future__ import annotations

from pykafka_ops.commands.framework.group import Single
from pykafka_ops.commands.framework.params import Option, Switch
from pykafka_ops.commands.framework.run import Result, Run
from pykafka_ops.commands.framework.types import POSITIVE, SPAN, TOPIC_NAME, Choices

# fmt: off
OPTIONS = (
    Option("--topic", metavar="TOPIC", type=TOPIC_NAME, ours=True,
           help="write to this topic, which is neither created nor deleted, instead of one made "
           "for the run"),
    Switch("--read-only", ours=True, help="write nothing: ask every broker, read a record"),
    Option("--brokers", metavar="N", type=POSITIVE, ours=True,
           help="so many brokers there must be"),
    Option("--replication-factor", metavar="N", type=POSITIVE, ours=True,
           help="replicas of what is made for the run (default: 3, or one per broker)"),
    Option("--wait", metavar="SPAN", type=SPAN, default="3s", ours=True,
           help="how long the first broker may take to answer"),
    Option("--timeout", metavar="SPAN", type=SPAN, default="10s", ours=True,
           help="how long a step may wait, 1m at most"),
    Option("--fail-on", metavar="CONDITION", ours=True,
           help="exit code 4 if this holds too, e.g. 'produce_ms>200|total_ms>5000'; fields: "
           "STEP_ms, total_ms, failed, brokers"),
    Option("--every", metavar="SPAN", type=SPAN, ours=True,
           help="go on until Ctrl-C, a round every so often, and keep the figures"),
    Option("--rounds", metavar="N", type=POSITIVE, ours=True,
           help="with --every: end after so many"),
    Option("-o", "--output", metavar="FORMAT", ours=True, default="table",
           type=Choices(("table", "json", "junit", "github")),
           help="format of the answer; github: annotations of a workflow"),
)
# fmt: on


def _smoke(run: Run) -> Result:
    from pykafka_ops.commands.smoke.rounds import smoke as work

    return work(run)


smoke = Single(
    "smoke",
    _smoke,
    bare=True,
    help="Use a cluster as its clients do, step by step; exit code 4 if one fails.",
    options=OPTIONS,
    examples=(
        "pko smoke -b localhost:9092",
        "pko smoke --brokers 3 --fail-on 'produce_ms>200' -o junit > smoke.xml",
        "pko smoke --read-only --every 30s",
    ),
)
