"""``pko acls`` and kafka-acls."""

from __future__ import annotations

from pykafka_ops.commands.acls import kafka
from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.run import Result, Run, Work
from pykafka_ops.commands.framework.types import FILE_PATH, Choices, Matching
from pykafka_ops.commands.kafka_syntax.tool import Tool
from pykafka_ops.commands.options import DRY_RUN, TLS_FILE

# --- pko's form ----------------------------------------------------------------------------------

RESOURCE = Option("--resource", metavar="RESOURCE", multiple=True, ours=True, hidden=True,
                  help="what rules are about: topic:NAME, group:NAME, transactional-id:NAME, "
                       "delegation-token:ID, user:NAME or cluster; NAME* is all that begin so, * "
                       "alone all of the kind")  # fmt: skip
FILE = Option("-f", "--file", metavar="FILE", type=FILE_PATH, ours=True, hidden=True,
              help="rules as pko acls export writes them")  # fmt: skip
HOST = Option("--host", metavar="ADDRESS", multiple=True, ours=True,
              help="where clients come from: an IP address, or * for anywhere")  # fmt: skip
DENY = Switch("--deny", ours=True, help="forbid it; a rule that denies wins over all that allow")
PERMISSION = Option("--permission", metavar="PERMISSION", type=Choices(("allow", "deny")),
                    ours=True, help="only rules that allow, or that deny")  # fmt: skip
PATTERN = Option("--pattern", metavar="PATTERN", type=Choices(("literal", "prefixed")), ours=True,
                 help="take the names as they are, a * at their end too, and mean just them, or "
                      "all that begin so")  # fmt: skip
MATCH = Switch(
    "--match",
    ours=True,
    help="all rules that count for the resources, those with prefixes and * too",
)
CONFIRM = Option("--confirm", metavar="RESOURCE", ours=True,
                 help="with --match: the resources again, by comma, instead of typing "
                      "them")  # fmt: skip
UNRULED = Option("--if-no-rule", metavar="PERMISSION", type=Choices(("allow", "deny")), ours=True,
                 help="what brokers say where no rule is about a resource "
                      "(allow.everyone.if.no.acl.found); they do not tell clients")  # fmt: skip
PRUNE = Switch("--prune", ours=True, help="remove the rules that are not in the file")

# --- both ----------------------------------------------------------------------------------------

PRINCIPAL = Option("--principal", metavar="PRINCIPAL", multiple=True, bare="",
                   type=Matching("principal", r"[^-].*"),
                   help="who: User:NAME; NAME alone means User:NAME, User:* anybody")  # fmt: skip
OPERATION = Option("--operation", metavar="OPERATION", multiple=True,
                   help="what is done: read, write, create, delete, alter, describe, "
                        "cluster-action, describe-configs, alter-configs, idempotent-write, "
                        "create-tokens, describe-tokens, two-phase-commit or all; several by "
                        "comma")  # fmt: skip

# --- Kafka's form --------------------------------------------------------------------------------

RESOURCES = (
    Option("--topic", metavar="TOPIC", multiple=True, help="a topic; * is all topics"),
    Option("--group", metavar="GROUP", multiple=True, help="a consumer group; * is all groups"),
    Option("--transactional-id", metavar="ID", multiple=True,
           help="a transactional id; * is all of them"),
    Option("--delegation-token", metavar="ID", multiple=True,
           help="a delegation token; * is all tokens"),
    Option("--user-principal", metavar="PRINCIPAL", multiple=True,
           help="a user for whom tokens are made"),
    Switch("--cluster", help="the cluster"),
    Option("--resource-pattern-type", metavar="ANY|MATCH|LITERAL|PREFIXED", default="LITERAL",
           help="how names are meant: literal or prefixed; any and match, to list and remove, are "
                "rules with that name, and rules that count for it"),
)  # fmt: skip
ENTRIES = (
    Option("--allow-principal", metavar="PRINCIPAL", multiple=True, help="whom rules allow"),
    Option("--deny-principal", metavar="PRINCIPAL", multiple=True, help="whom rules deny"),
    Option("--allow-host", metavar="HOST", multiple=True,
           help="from where --allow-principal is allowed (default: *)"),
    Option("--deny-host", metavar="HOST", multiple=True,
           help="from where --deny-principal is denied (default: *)"),
    Switch("--producer", help="rules that a producer needs: write, describe, create on topics"),
    Switch("--consumer", help="rules that a consumer needs: read, describe on topics, read on its "
           "group"),
    Switch("--idempotent", help="with --producer: idempotent-write on the cluster"),
    Switch("--force", help="do not ask"),
)  # fmt: skip
OF_AUTHORIZER = (
    Option("--authorizer", metavar="CLASS",
           help="old: the authorizer; only that of ZooKeeper is known"),
    Option("--authorizer-properties", metavar="K=V", multiple=True,
           help="old: zookeeper.connect=HOST:PORT[/CHROOT] of the ZooKeeper to change directly"),
    TLS_FILE,
)  # fmt: skip

TOOL = Tool(
    "kafka-acls",
    "This tool helps to manage acls on kafka.",
    options=(*RESOURCES, *ENTRIES, *OF_AUTHORIZER),
    check=kafka.check,
    failure=kafka.failure,
)


def _work(run: Run) -> Result:
    work: Work
    match "kafka" if run.args.flags else run.args.verb:
        case "kafka":
            from pykafka_ops.commands.acls.tool import run_tool as work
        case "list":
            from pykafka_ops.commands.acls.list import list_rules as work
        case "add":
            from pykafka_ops.commands.acls.add import add as work
        case "remove":
            from pykafka_ops.commands.acls.remove import remove as work
        case "check":
            from pykafka_ops.commands.acls.check import check as work
        case "who-can":
            from pykafka_ops.commands.acls.who_can import who_can as work
        case "export":
            from pykafka_ops.commands.acls.export import export as work
        case "diff":
            from pykafka_ops.commands.acls.apply import diff as work
        case "apply":
            from pykafka_ops.commands.acls.apply import apply as work
    return work(run)


FILTER = (PRINCIPAL, OPERATION, HOST, PERMISSION, PATTERN, MATCH)
acls = VerbGroup(
    "acls", "Access rules: who may do what; why, or why not; rules as code.", _work, tool=TOOL
)
acls.verb(
    "list",
    "List the rules about some resources, or all rules.",
    flag="list",
    words=(Words(RESOURCE, "*"),),
    options=FILTER,
    examples=(
        "pko acls list topic:orders --match",
        "pko acls list --principal alice",
        "pko acls list group -o json",
    ),
)
acls.verb(
    "add",
    "Allow or forbid something; producer and consumer stand for what those need.",
    flag="add",
    words=(Words(PRINCIPAL), Words(OPERATION), Words(RESOURCE, "+")),
    options=(DENY, HOST, PATTERN, DRY_RUN),
    examples=(
        "pko acls add alice read,describe topic:orders",
        "pko acls add billing consumer topic:orders group:billing",
        "pko acls add 'User:*' write 'topic:audit-*' --deny",
    ),
)
acls.verb(
    "remove",
    "Remove the rules that fit; they are shown before.",
    flag="remove",
    words=(Words(RESOURCE, "*"),),
    options=(*FILTER, CONFIRM, DRY_RUN),
    examples=(
        "pko acls remove topic:orders --principal alice --operation write",
        "pko acls remove --principal alice",
        "pko acls remove topic:orders --match",
    ),
)
acls.verb(
    "check",
    "Say whether somebody may do something, and which rule decides.",
    words=(Words(PRINCIPAL), Words(OPERATION), Words(RESOURCE)),
    options=(HOST, UNRULED),
    examples=(
        "pko acls check alice read topic:orders",
        "pko acls check User:etl write topic:orders --host 10.0.0.7",
    ),
)
acls.verb(
    "who-can",
    "List who may do something, and by which rule.",
    words=(Words(OPERATION), Words(RESOURCE)),
    options=(UNRULED,),
    examples=("pko acls who-can read topic:orders",),
)
acls.verb(
    "export",
    "Write the rules as a file that diff and apply take.",
    words=(Words(RESOURCE, "*"),),
    options=FILTER,
    examples=("pko acls export > acls.yaml",),
)
acls.verb(
    "diff",
    "Compare the cluster's rules with those in a file; exit code 4 if they differ.",
    words=(Words(FILE),),
    examples=("pko acls diff acls.yaml",),
)
acls.verb(
    "apply",
    "Let the cluster have the rules in a file.",
    words=(Words(FILE),),
    options=(PRUNE, DRY_RUN),
    examples=(
        "pko acls apply acls.yaml --dry-run",
        "pko acls apply acls.yaml --prune --yes",
    ),
)
