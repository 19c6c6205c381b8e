"""``pko backup``: records, settings, groups and rules of a cluster, kept elsewhere."""

from __future__ import annotations

from pykafka_ops.backup.manifest import FORMATS
from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.run import Result, Run, Work
from pykafka_ops.commands.framework.types import POSITIVE, SIZE, SPAN, Choices, Live
from pykafka_ops.commands.options import DRY_RUN, REGEX

# fmt: off
PLACE = Option("--place", metavar="PLACE", ours=True, hidden=True,
               help="a directory, or s3://BUCKET/PATH, gs://, abfs://, hdfs://")
TOPIC = Option("--topic", metavar="TOPIC", type=Live("topic"), multiple=True, ours=True,
               help="only these topics (default: all but internal ones)")
GROUP = Option("--group", metavar="GROUP", type=Live("group"), multiple=True, ours=True,
               help="offsets of these groups only (default: all)")
TOPICS_ONLY = Switch("--topics-only", ours=True,
                     help="no groups, access rules, quotas and names of users")
FULL = Switch("--full", ours=True,
              help="read everything again, beside what older runs read")
RATE = Option("--limit", metavar="SIZE", type=SIZE, ours=True,
              help="read no more bytes a second, e.g. 50MB")
SEGMENT = Option("--segment-bytes", metavar="SIZE", type=SIZE, ours=True, default="256MiB",
                 help="the largest file of records")
FORMAT = Option("--format", metavar="FORMAT", type=Choices(FORMATS), ours=True,
                help="how a new backup keeps records: as Kafka's segments (default), or as "
                "Parquet, which takes PyArrow")
UNLOCK = Switch("--unlock", ours=True,
                help="of an object store: the backup that locked it is dead")
RUN = Option("--run", metavar="N", type=POSITIVE, ours=True,
             help="as of this run (default: the newest)")
OLDER = Option("--older-than", metavar="SPAN", type=SPAN, ours=True,
               help="segments whose latest record is older, e.g. 30d")
GONE = Switch("--gone", ours=True, help="segments that the cluster itself has deleted")
OLD_LIVES = Switch("--old-lives", ours=True,
                   help="topics that were deleted, and what they were before they were made anew")
# fmt: on


def _work(run: Run) -> Result:
    work: Work
    match run.args.verb:
        case "run":
            from pykafka_ops.commands.backup.run import run as work
        case "list":
            from pykafka_ops.commands.backup.show import list_runs as work
        case "describe":
            from pykafka_ops.commands.backup.show import describe as work
        case "prune":
            from pykafka_ops.commands.backup.prune import prune_backup as work
        case "verify":
            from pykafka_ops.commands.backup.verify import verify as work
    return work(run)


backup = VerbGroup(
    "backup", "Keep records, settings, groups and rules of a cluster elsewhere.", _work
)
backup.verb(
    "run",
    "Add to a backup what came since its last run; begin one where there is none.",
    words=(Words(PLACE),),
    options=(TOPIC, GROUP, REGEX, TOPICS_ONLY, FULL, RATE, FORMAT, SEGMENT, UNLOCK),
    examples=(
        "pko backup run /mnt/backup/prod -b broker:9092",
        "pko backup run s3://backups/prod --topic 'orders.*' --regex --limit 50MB",
        "pko backup run s3://lake/kafka --format parquet",
    ),
)
backup.verb(
    "list",
    "Show the runs of a backup.",
    words=(Words(PLACE),),
    examples=("pko backup list /mnt/backup/prod",),
)
backup.verb(
    "describe",
    "Show what a backup holds, topic by topic.",
    words=(Words(PLACE),),
    options=(TOPIC, REGEX, RUN),
    examples=("pko backup describe /mnt/backup/prod", "pko backup describe s3://backups/prod"),
)
backup.verb(
    "verify",
    "Read a backup again; exit code 4 if it is not as it was written.",
    words=(Words(PLACE),),
    options=(TOPIC, REGEX, RUN),
    examples=("pko backup verify /mnt/backup/prod",),
)
backup.verb(
    "prune",
    "Delete old records from a backup, in whole segments.",
    words=(Words(PLACE),),
    options=(OLDER, GONE, OLD_LIVES, DRY_RUN),
    examples=(
        "pko backup prune /mnt/backup/prod --older-than 90d --dry-run",
        "pko backup prune /mnt/backup/prod --gone --old-lives --yes",
    ),
)
