"""``pko certs``."""

from __future__ import annotations

from pykafka_ops.commands.framework.group import VerbGroup
from pykafka_ops.commands.framework.params import Option, Switch, Words
from pykafka_ops.commands.framework.run import Result, Run, Work
from pykafka_ops.commands.framework.types import FILE_PATH, Whole
from pykafka_ops.commands.options import FAIL_ON, PASSWORDS, WATCH

DIR = Option("--dir", metavar="DIR", type=FILE_PATH, ours=True, default=".",
             help="where ca.pem and ca.key are; new files are made beside them")  # fmt: skip
NAME = Option("--name", metavar="NAME", ours=True, hidden=True,
              help="the owner's name (CN), and of a certificate that of its files")  # fmt: skip
HOST = Option("--host", metavar="HOST", multiple=True, ours=True,
              help="a host name or an IP address that a broker's certificate is "
                   "for")  # fmt: skip
DAYS = Option("--days", metavar="N", type=Whole(31, least=1), ours=True, default="90",
              help="how long it counts")  # fmt: skip
JKS = Switch(
    "--jks", ours=True, help="with a password: a store in the old form of Java, too, which is weak"
)
ENDED = Switch("--ended", ours=True, help="it ended a day ago, to try what clients say")


def _work(run: Run) -> Result:
    work: Work
    match run.args.verb:
        case "ca":
            from pykafka_ops.commands.certs.issue import authority as work
        case "issue":
            from pykafka_ops.commands.certs.issue import issue as work
        case "expiry":
            from pykafka_ops.commands.certs.expiry import expiry as work
    return work(run)


certs = VerbGroup(
    "certs", "Certificates: when those of brokers end; an authority for tests.", _work
)
certs.verb(
    "expiry",
    "Show when the certificate of each broker ends, and whether it is trusted.",
    options=(FAIL_ON, WATCH),
    examples=(
        "pko certs expiry -b broker:9093 --fail-on 'days<30'",
        "pko certs expiry -b broker:9093 --command-config client.properties -o wide",
    ),
)
certs.verb(
    "ca",
    "Make an authority for tests: ca.pem, which clients trust, and its key.",
    words=(Words(NAME, "?"),),
    options=(DIR, DAYS, JKS, *PASSWORDS),
    examples=("pko certs ca --dir tls",),
)
certs.verb(
    "issue",
    "Make a certificate that the authority signs, for a broker or a client.",
    words=(Words(NAME),),
    options=(DIR, HOST, DAYS, ENDED, JKS, *PASSWORDS),
    examples=(
        "pko certs issue broker-1 --dir tls --host localhost --host 127.0.0.1",
        "pko certs issue alice --dir tls --password-env STORE_PASSWORD",
    ),
)
