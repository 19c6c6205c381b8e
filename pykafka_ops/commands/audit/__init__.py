"""``pko audit``: do tiers hold the same records?"""

from __future__ import annotations

from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.run import Result, Run, Work
from pykafka_ops.commands.framework.types import FILE_PATH, POSITIVE, SPAN, TOPIC_NAME, WAIT
from pykafka_ops.commands.options import FAIL_ON, REGEX, SINCE, UNTIL, WATCH

# fmt: off
BOOK = Option("--book", metavar="FILE", type=FILE_PATH, ours=True,
              help="the file of books (default: ~/.local/share/pko/audit.db)")
TIER = Option("--tier", metavar="TIER", ours=True, help="the name of a tier: what is counted")
PATHS = Option("--from", metavar="DIR", type=FILE_PATH, multiple=True, ours=True,
               help="log directories of brokers, or partitions' directories, instead of a cluster")
TOPIC = Option("--topic", metavar="TOPIC", type=TOPIC_NAME, multiple=True, ours=True,
               help="only these topics (default: all but internal ones)")
BUCKET = Option("--bucket", metavar="SPAN", type=SPAN, default="10m", ours=True,
                help="length of a time bucket, of a new tier")
COMPACTED = Option("--compacted", metavar="REGEX", ours=True,
                   help="topics that are compacted, where that cannot be seen")
WORKERS = Option("--workers", metavar="N", type=POSITIVE, ours=True,
                 help="processes that count directories (default: one per processor)")
KEEP = Option("--keep", metavar="SPAN", type=SPAN, ours=True,
              help="forget buckets that are older")
A = Option("--a", metavar="A", ours=True, help="a tier, or a directory")
B = Option("--b", metavar="B", ours=True, help="a tier, or a directory, that should have the same")
GRACE = Option("--grace", metavar="SPAN", type=WAIT, default="1m", ours=True,
               help="how long after its end a bucket may still get records")
PREFIX = Option("--prefix", metavar="TEXT", ours=True,
                help="B's topics are called TEXT and the name in A, as a mirror's \"us.\"")
RENAME = Option("--rename", metavar="REGEX=NAME", ours=True,
                help=r"B's name of a topic: '(.*)=us.\1'")
TOGETHER = Switch("--together", ours=True,
                  help="compare topics as a whole: B has other partitions than A")
BUCKETS = Switch("--buckets", ours=True, help="show the buckets that differ")
RECORDS = Switch("--records", ours=True,
                 help="read both again, and show the records that differ")
IDENTIFY = Option("--identify-by", metavar="WHAT", default="key", ours=True,
                  help="what an altered record is known by: key, header:NAME, sequence, none")
MOST = Option("-n", "--most", metavar="N", type=POSITIVE, default="100", ours=True,
              help="show so many buckets or records at most")
ALL = Switch("-a", "--all", ours=True, help="show what agrees, too")
AUDIT_TOPIC = Option("--audit-topic", metavar="TOPIC", type=TOPIC_NAME, default="pko.audit",
                     ours=True, help="where producers publish what they have sent")
TIERS = Option("--tiers", metavar="TIER", multiple=True, ours=True,
               help="only these tiers, counted or published (default: all)")
AGAINST = Option("--against", metavar="TIER", default="producer", ours=True,
                 help="the tier that has what the others should have")
HISTORY = Option("--history", metavar="DIR", type=FILE_PATH, ours=True,
                 help="keep the outcome there, as pko spark keeps its runs; takes pyarrow")
FILE = Option("--file", metavar="FILE", type=FILE_PATH, ours=True, help="the file to write")
# fmt: on


def _work(run: Run) -> Result:
    work: Work
    match run.args.verb:
        case "collect":
            from pykafka_ops.commands.audit.collect import collect as work
        case "compare":
            from pykafka_ops.commands.audit.compare import compare as work
        case "tiers":
            from pykafka_ops.commands.audit.tiers import tiers as work
        case "report":
            from pykafka_ops.commands.audit.report import report as work
        case "list":
            from pykafka_ops.commands.audit.report import list_tiers as work
        case "export":
            from pykafka_ops.commands.audit.export import export as work
        case "forget":
            from pykafka_ops.commands.audit.forget import forget as work
    return work(run)


audit = VerbGroup("audit", "Prove that tiers hold the same records: counted from logs.", _work)
audit.verb(
    "collect",
    "Count what is new in a cluster, or in log directories, into the book of a tier.",
    words=(Words(TIER), Words(PATHS, "*", metavar="DIR")),
    options=(BOOK, TOPIC, REGEX, BUCKET, COMPACTED, KEEP, WORKERS, WATCH),
    examples=(
        "pko audit collect us -b us1:9092",
        "pko audit collect eu -b eu1:9092 --topic orders --watch 1m",
        "pko audit collect backup /mnt/backup/kafka-logs",
    ),
)
audit.verb(
    "compare",
    "Compare two tiers; exit code 4 if records are missing, extra, altered or in another order.",
    words=(Words(A), Words(B)),
    options=(BOOK, TOPIC, REGEX, SINCE, UNTIL, GRACE, PREFIX, RENAME, TOGETHER, BUCKETS, RECORDS,
             IDENTIFY, MOST, ALL, HISTORY, FAIL_ON, WATCH),
    examples=(
        "pko audit compare us eu --prefix us.",
        "pko audit compare us eu --prefix us. --topic orders --records",
        "pko audit compare /var/kafka-a /var/kafka-b --fail-on 'missing>0'",
    ),
)  # fmt: skip
audit.verb(
    "tiers",
    "Compare what producers say they sent with what tiers hold; exit code 4 if they differ.",
    words=(Words(TIERS, "*"),),
    options=(BOOK, AUDIT_TOPIC, AGAINST, TOPIC, REGEX, SINCE, UNTIL, GRACE, BUCKETS, FAIL_ON),
    examples=(
        "pko audit tiers -b us1:9092",
        "pko audit tiers us eu --topic orders --buckets --fail-on 'missing>0'",
    ),
)
audit.verb(
    "report",
    "Show what a tier holds, by topic or by time bucket.",
    words=(Words(TIER),),
    options=(BOOK, TOPIC, REGEX, SINCE, UNTIL, BUCKETS),
    examples=("pko audit report us", "pko audit report us --topic orders --buckets --since 24h"),
)
audit.verb(
    "list",
    "List the tiers of a book: where they are, how far they were counted.",
    options=(BOOK,),
    examples=("pko audit list",),
)
audit.verb(
    "export",
    "Write the lines of tiers into a file of Parquet; takes pyarrow.",
    words=(Words(FILE), Words(TIERS, "*")),
    options=(BOOK, TOPIC, REGEX),
    examples=("pko audit export book.parquet us eu",),
)
audit.verb(
    "forget",
    "Drop a tier from a book.",
    words=(Words(TIER),),
    options=(BOOK,),
    examples=("pko audit forget old-cluster --yes",),
)
