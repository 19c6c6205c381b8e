"""``pko tokens`` and kafka-delegation-tokens."""

from __future__ import annotations

from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.run import Result, Run, Work
from pykafka_ops.commands.framework.types import FILE_PATH, SPAN, Matching, Whole
from pykafka_ops.commands.kafka_syntax.tool import Tool
from pykafka_ops.commands.options import DRY_RUN
from pykafka_ops.commands.tokens import kafka

# --- pko's form ----------------------------------------------------------------------------------

TOKEN = Option("--token", metavar="TOKEN-ID", ours=True, hidden=True,
               help="the token's id, as pko tokens list shows it")  # fmt: skip
OWNER = Option("--owner", metavar="PRINCIPAL", multiple=True, ours=True,
               help="whose tokens: User:NAME, or NAME")  # fmt: skip
RENEWER = Option("--renewer", metavar="PRINCIPAL", multiple=True, ours=True,
                 help="who may renew it beside its owner: User:NAME, or NAME")  # fmt: skip
LIFE = Option("--max-life", metavar="SPAN", type=SPAN, ours=True,
              help="how long it may live with all renewals (default: as the brokers "
                   "allow)")  # fmt: skip
PERIOD = Option("--for", metavar="SPAN", type=SPAN, ours=True,
                help="how long it lives from now on (default: as the brokers say)")  # fmt: skip
IN = Option("--in", metavar="SPAN", type=SPAN, ours=True,
            help="how long it lives still (default: it ends now)")  # fmt: skip
FILE = Option("-f", "--file", metavar="FILE", type=FILE_PATH, ours=True,
              help="write the client settings of a login by the token to a new file, which nobody "
                   "else may read, instead of showing the secret")  # fmt: skip
HMAC_FILE = Option("--hmac-file", metavar="FILE", type=FILE_PATH, ours=True,
                   help="the token's HMAC, the first line of this file, where you may renew a "
                        "token but not see it")  # fmt: skip
SHOW = Switch("--show-hmac", ours=True, help="show the tokens' secrets, too")

# --- Kafka's form --------------------------------------------------------------------------------

_MS = Whole(63, least=None)
_TEXT = Matching("text", r"[^-].*")
OPTIONS = (
    Option("--owner-principal", metavar="PRINCIPAL", multiple=True, bare="", type=_TEXT,
           help="whose token, or tokens"),
    Option("--renewer-principal", metavar="PRINCIPAL", multiple=True, bare="", type=_TEXT,
           help="who may renew it beside its owner"),
    Option("--max-life-time-period", metavar="MS", bare="", type=_MS,
           help="how long it may live with all renewals; -1: as the brokers allow"),
    Option("--renew-time-period", metavar="MS", bare="", type=_MS,
           help="how long it lives from now on; -1: as the brokers say"),
    Option("--expiry-time-period", metavar="MS", bare="", type=_MS,
           help="how long it lives still; -1: it ends now"),
    Option("--hmac", metavar="HMAC", bare="", type=_TEXT,
           help="the token's secret, which others can read in the list of processes: pko tokens "
                "renew takes the token's id"),
)  # fmt: skip

TOOL = Tool(
    "kafka-delegation-tokens",
    "This tool helps to create, renew, expire, or describe delegation tokens.",
    options=OPTIONS,
    check=kafka.check,
    failure=kafka.failure,
)


def _work(run: Run) -> Result:
    work: Work
    match "kafka" if run.args.flags else run.args.verb:
        case "kafka":
            from pykafka_ops.commands.tokens.tool import run_tool as work
        case "list":
            from pykafka_ops.commands.tokens.list import list_tokens as work
        case "create":
            from pykafka_ops.commands.tokens.create import create as work
        case "renew":
            from pykafka_ops.commands.tokens.change import renew as work
        case "expire":
            from pykafka_ops.commands.tokens.change import expire as work
    return work(run)


tokens = VerbGroup(
    "tokens", "Delegation tokens: secrets with an end that stand for a login.", _work, tool=TOOL
)
tokens.verb(
    "list",
    "List the tokens that this login may see.",
    flag="describe",
    options=(OWNER, SHOW),
    examples=("pko tokens list", "pko tokens list --owner alice"),
)
tokens.verb(
    "create",
    "Create a token of this login.",
    flag="create",
    options=(OWNER, RENEWER, LIFE, FILE),
    examples=(
        "pko tokens create --max-life 7d --file token.properties",
        "pko tokens create --renewer spark --owner alice",
    ),
)
tokens.verb(
    "renew",
    "Let a token live longer.",
    flag="renew",
    words=(Words(TOKEN, "?"),),
    options=(PERIOD, HMAC_FILE),
    examples=("pko tokens renew 5bCdeXqySz6nSCBPmQXaDw --for 12h",),
)
tokens.verb(
    "expire",
    "End a token, now or soon.",
    flag="expire",
    words=(Words(TOKEN, "?"),),
    options=(IN, HMAC_FILE, DRY_RUN),
    examples=("pko tokens expire 5bCdeXqySz6nSCBPmQXaDw",),
)
