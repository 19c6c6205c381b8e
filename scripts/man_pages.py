"""Write man/pko.1 and one man/pko-COMMAND.1 per command from the option tables.

scripts/man_pages.py            write them
scripts/man_pages.py --check    exit 1 and name the pages that are stale or left over
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from pykafka_ops.commands import ROWS, Row  # noqa: E402
from pykafka_ops.commands.framework.group import Bilingual, VerbGroup  # noqa: E402
from pykafka_ops.commands.framework.params import Option  # noqa: E402
from pykafka_ops.commands.framework.verb import Verb  # noqa: E402
from pykafka_ops.commands.options import COMMON  # noqa: E402

MAN = ROOT / "man"
EXIT_STATUS = (
    ("0", "Done."),
    ("1", "Some item failed; what failed is said on standard error."),
    ("2", "The command line, or a file it names, is wrong (in Kafka's flags: 1)."),
    ("3", "No broker answers, or it does not let us in (in Kafka's flags: 1)."),
    ("4", "A check found a problem, or --fail-on is met, whatever failed beside it."),
    ("130", "Interrupted with Ctrl-C."),
)
ENVIRONMENT = (
    ("PKO_BOOTSTRAP_SERVER", "Stands in for --bootstrap-server."),
    ("PKO_COMMAND_CONFIG", "Stands in for --command-config."),
    ("PKO_PROFILE", "Stands in for --profile."),
    ("PKO_OUTPUT", "Stands in for --output, except with Kafka's flags."),
    ("PKO_ZOOKEEPER", "Stands in for --zookeeper in pko zookeeper."),
    (
        "KAFKA_OPTS",
        "Of its -Dname=value those that say how to get into ZooKeeper: "
        "java.security.auth.login.config (a JAAS file with a section Client), zookeeper.ssl.*.",
    ),
    ("PKO_CONFIG", "The config file; without it $XDG_CONFIG_HOME/pko/config.toml."),
    ("NO_COLOR", "Set: no colours."),
)
FORMATS = (
    ("table", "Columns for people; with Kafka's flags the text of Kafka's own tool."),
    ("wide", "More columns."),
    ("json, yaml", "One document: kind, version (1), items, errors (of item, error, message). "
     "Every key is always there; a key is never renamed or dropped within a version."),
    ("csv", "RFC 4180 with a header; lists are joined by semicolons, null is empty."),
    ("name", "Names alone, one a line."),
)  # fmt: skip
CONFIG = """profile = "dev"
[profiles.dev]
bootstrap-server = "localhost:9092"
[profiles.prod]
bootstrap-server = "b1:9093,b2:9093"
command-config = "/etc/kafka/client.properties"
output = "wide"
[profiles.prod.settings]
"request.timeout.ms" = 10000
"ssl.keystore.password" = { file = "/etc/kafka/store.password" }
[profiles.prod.login]
user = "alice"
password = { command = "pass show kafka/prod" }"""


def roff(text: str) -> str:
    """Text that troff prints as it is."""
    safe = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return "\\&" + safe if safe[:1] in (".",) else safe


def pairs(rows: tuple[tuple[str, str], ...]) -> list[str]:
    """A list of terms and what they mean."""
    lines = []
    for name, text in rows:
        lines += [".TP", f".B {roff(name)}", roff(text)]
    return lines


def option(opt: Option) -> list[str]:
    """One option as a .TP entry."""
    names = f"\\-{opt.short}, " if opt.short else ""
    names += f"\\-\\-{roff(opt.long)}"
    head = f"\\fB{names}\\fR" + (f" \\fI{roff(opt.value)}\\fR" if opt.value else "")
    text = opt.text()
    return [".TP", head, roff(text[:1].upper() + text[1:] + ".")]


def title(name: str) -> str:
    """The first line of a page."""
    return f'.TH "{roff(name.upper())}" "1" "" "pykafka\\-ops" "Operating Apache Kafka"'


def overview() -> str:
    """pko(1)."""
    lines = [title("pko"), ".SH NAME", "pko \\- operate Apache Kafka", ".SH SYNOPSIS",
             ".B pko", "\\fICOMMAND\\fR [\\fIVERB\\fR] [\\fIoptions\\fR]", ".SH DESCRIPTION",
             roff("Every command has two command line syntaxes: verbs (pko topics create orders), "
                  "and the flags of Kafka's own tools (pko kafka-topics --create --topic orders), "
                  "which are read, answered and ended as those tools do."),
             ".SH COMMANDS"]  # fmt: skip
    for row in ROWS:
        lines += [".TP", f".BR pko\\-{roff(row.name)} (1)", roff(row.summary + ".")]
    lines += [".SH OPTIONS"]
    for opt in COMMON:
        lines += option(opt)
    lines += [".SH OUTPUT", *pairs(FORMATS)]
    lines += [".SH EXIT STATUS", *pairs(EXIT_STATUS), ".SH ENVIRONMENT", *pairs(ENVIRONMENT)]
    lines += [".SH FILES", ".TP", ".I ~/.config/pko/config.toml", "Profiles:", ".IP", ".nf"]
    lines += [roff(x) for x in CONFIG.splitlines()] + [".fi", ".IP"]
    lines.append(roff("Where --bootstrap-server names the cluster, a profile counts only if "
                      "--profile or PKO_PROFILE asks for it."))  # fmt: skip
    return "\n".join(lines) + "\n"


def page(row: Row, command: Bilingual) -> str:
    """pko-COMMAND(1)."""
    name = f"pko-{row.name}"
    lines = [title(name), ".SH NAME", f"{roff(name)} \\- {roff(row.summary)}", ".SH SYNOPSIS"]
    for verb in verbs_of(command):
        lines += [f".B pko {roff(call(command, verb))}", "[\\fIoptions\\fR]", ".br"]
    lines += [".SH DESCRIPTION", roff(command.help or "")]
    if command.tool:
        lines += [".PP", roff(f"Kafka's flags: pko {command.tool.name} --help shows them.")]
    for verb in verbs_of(command):
        heading = "OPTIONS" if verb is command else (verb.name or "").upper()
        lines += [f'.SH "{roff(heading)}"', roff(verb.help or "")]
        for opt in verb.options.values():
            if not opt.hidden and opt not in COMMON:
                lines += option(opt)
        if verb.examples:
            lines += [".PP", "Examples:", ".PP", ".RS", ".nf"]
            lines += [roff(e) for e in verb.examples] + [".fi", ".RE"]
    lines += [".SH SEE ALSO", ".BR pko (1)"]
    return "\n".join(lines) + "\n"


def verbs_of(command: Bilingual) -> list[Verb]:
    """Its verbs; a command without is one itself."""
    if isinstance(command, VerbGroup):
        return command.verbs
    assert isinstance(command, Verb)
    return [command]


def call(command: Bilingual, verb: Verb) -> str:
    """How the verb is called, without options."""
    name = "" if verb is command else verb.name
    words = [command.name, name, *(w.form for w in verb.words)]
    return " ".join(w for w in words if w)


def pages() -> dict[str, str]:
    """File name and text of every page."""
    made = {"pko.1": overview()}
    for row in ROWS:
        made[f"pko-{row.name}.1"] = page(row, row.load())
    return made


def stale() -> list[str]:
    """Pages on disk that are not what the tables say, or that have no command any more."""
    made = pages()
    wrong = [n for n, text in made.items() if not (MAN / n).is_file()
             or (MAN / n).read_text(encoding="utf-8") != text]  # fmt: skip
    return wrong + [p.name for p in sorted(MAN.glob("*.1")) if p.name not in made]


def main() -> int:
    """Write or check."""
    if "--check" in sys.argv[1:]:
        wrong = stale()
        for name in wrong:
            print(f"man/{name} is stale: run scripts/man_pages.py")
        return 1 if wrong else 0
    MAN.mkdir(exist_ok=True)
    made = pages()
    for old in MAN.glob("*.1"):
        if old.name not in made:
            old.unlink()
    for name, text in made.items():
        (MAN / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
