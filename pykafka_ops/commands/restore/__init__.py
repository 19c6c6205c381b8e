"""``pko restore``: what a backup holds, into a cluster."""

from __future__ import annotations

from pykafka_ops.commands.backup import GROUP, PLACE, RATE, RUN, TOPIC, TOPICS_ONLY
from pykafka_ops.commands.framework.group import Single
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.run import Result, Run
from pykafka_ops.commands.framework.types import POSITIVE
from pykafka_ops.commands.options import DRY_RUN, REGEX

# fmt: off
PREFIX = Option("--prefix", metavar="TEXT", ours=True,
                help="topics get TEXT before their names, as \"old.\"")
RENAME = Option("--rename", metavar="REGEX=NAME", ours=True,
                help=r"topics get other names: '(.*)=old.\1'")
COPIES = Option("--replication-factor", metavar="N", type=POSITIVE, ours=True,
                help="replicas of topics (default: as they had, or one per broker)")
NO_CHECK = Switch("--no-check", ours=True,
                  help="do not read the restored records again to compare them")
# fmt: on


def _restore(run: Run) -> Result:
    from pykafka_ops.commands.restore.run import restore as work

    return work(run)


restore = Single(
    "restore",
    _restore,
    help="Bring what a backup holds into a cluster: topics, records, groups, rules.",
    words=(Words(PLACE),),
    options=(TOPIC, GROUP, REGEX, RUN, PREFIX, RENAME, COPIES, TOPICS_ONLY, RATE, NO_CHECK,
             DRY_RUN),
    examples=(
        "pko restore /mnt/backup/prod -b new:9092 --dry-run",
        "pko restore s3://backups/prod -b new:9092",
        "pko restore /mnt/backup/prod --topic orders --prefix old. --topics-only",
    ),
)  # fmt: skip
