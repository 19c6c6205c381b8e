"""``pko users``: SCRAM credentials and quotas."""

from __future__ import annotations

from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.params import Option, Words
from pykafka_ops.commands.framework.run import Result, Run, Work
from pykafka_ops.commands.framework.types import Choices, Whole
from pykafka_ops.commands.options import DRY_RUN, PASSWORDS

NAME = Option("--name", metavar="USER", multiple=True, ours=True, hidden=True,
              help="the user's name, without User: before it")  # fmt: skip
QUOTA = Option("--quota", metavar="QUOTA=VALUE", multiple=True, ours=True, hidden=True,
               help="producer_byte_rate or consumer_byte_rate (1MB: 1,000,000 bytes a s), "
                    "request_percentage, controller_mutation_rate; QUOTA= takes it "
                    "away")  # fmt: skip
MECHANISM = Option("--mechanism", metavar="MECHANISM", multiple=True, ours=True,
                   type=Choices(("SCRAM-SHA-256", "SCRAM-SHA-512")),
                   help="the login that the password is for (default: SCRAM-SHA-512, or those that "
                        "the user has)")  # fmt: skip
ITERATIONS = Option("--iterations", metavar="N", type=Whole(31, least=4096), ours=True,
                    default="4096", help="how often the password is hashed")  # fmt: skip
SECRETS = (*PASSWORDS, MECHANISM, ITERATIONS)


def _work(run: Run) -> Result:
    work: Work
    match run.args.verb:
        case "list" | "describe":
            from pykafka_ops.commands.users.describe import describe as work
        case "add":
            from pykafka_ops.commands.users.change import add as work
        case "alter":
            from pykafka_ops.commands.users.change import alter as work
        case "delete":
            from pykafka_ops.commands.users.delete import delete as work
    return work(run)


users = VerbGroup("users", "Users: passwords for SCRAM logins, and quotas.", _work)
users.verb(
    "list",
    "List the users with a password or a quota.",
    examples=("pko users list", "pko users list -o json"),
)
users.verb(
    "describe",
    "Show the logins and quotas of some users.",
    words=(Words(NAME, "+"),),
    examples=("pko users describe alice",),
)
users.verb(
    "add",
    "Add a user: a password, and quotas.",
    words=(Words(NAME), Words(QUOTA, "*")),
    options=(*SECRETS, DRY_RUN),
    examples=(
        "pko users add alice --password-file alice.txt",
        "pko users add etl producer_byte_rate=10MB --password-env ETL_PASSWORD",
    ),
)
users.verb(
    "alter",
    "Change a user's password, or quotas.",
    words=(Words(NAME), Words(QUOTA, "*")),
    options=(*SECRETS, DRY_RUN),
    examples=(
        "pko users alter alice --password-file alice.txt --mechanism SCRAM-SHA-256",
        "pko users alter etl consumer_byte_rate=5MB producer_byte_rate=",
    ),
)
users.verb(
    "delete",
    "Delete the passwords and quotas of users.",
    words=(Words(NAME, "+"),),
    options=(MECHANISM, DRY_RUN),
    examples=(
        "pko users delete alice",
        "pko users delete alice --mechanism SCRAM-SHA-256",
    ),
)
