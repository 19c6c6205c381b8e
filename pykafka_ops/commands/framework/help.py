"""``--help`` from the tables: of pko, of a command, of a verb."""

from __future__ import annotations

from pykafka_ops.commands import TABLE
from pykafka_ops.commands.framework.options import COMMON, Command, Opt, Verb
from pykafka_ops.commands.framework.parse import usage, word_form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

EXIT_CODES = "exit codes: 0 done, 1 some item failed, 2 usage, 3 cannot connect, 4 a check failed"


def overview() -> str:
    """``pko --help``."""
    width = max(len(row[0]) for row in TABLE)
    lines = [
        "usage: pko COMMAND [VERB] [options]      operate Apache Kafka",
        "",
        "commands:",
        *(f"  {row[0]:{width}}  {row[2]}" for row in TABLE),
        "",
        "  pko COMMAND --help     verbs, options and examples",
        "  pko kafka-topics ...   any of Kafka's own tools, with its own flags",
        "",
        "everywhere:",
        *_options_block(COMMON),
        "",
        "settings: ~/.config/pko/config.toml (profiles), PKO_BOOTSTRAP_SERVER, PKO_COMMAND_CONFIG,",
        "  PKO_PROFILE, PKO_OUTPUT, PKO_ZOOKEEPER, NO_COLOR",
        EXIT_CODES,
    ]
    return "\n".join(lines) + "\n"


def command_help(command: Command, verb: Verb | None = None) -> str:
    """``pko COMMAND --help`` and ``pko COMMAND VERB --help``."""
    if verb is None and len(command.verbs) == 1 and not command.verbs[0].name:
        verb = command.verbs[0]
    return _verb_help(command, verb) if verb else _all_verbs(command)


def _all_verbs(command: Command) -> str:
    width = max(len(_call(v)) for v in command.verbs)
    lines = [
        f"usage: pko {command.name} VERB [options]",
        "",
        *_folded(command.purpose, 100),
        "",
        "verbs:",
        *(f"  {_call(v):{width}}  {v.help}" for v in command.verbs),
        "",
        *_examples([e for v in command.verbs for e in v.examples[:1]]),
        f"options (pko {command.name} VERB --help shows which go with a verb):",
        *_options_block(_visible(command.options)),
        "",
        "everywhere:",
        *_options_block(COMMON),
    ]
    lines += _tool_note(command)
    return "\n".join(lines) + "\n"


def _verb_help(command: Command, verb: Verb) -> str:
    mine = _visible(o for o in command.options if o.name in verb.options)
    lines = [usage(command, verb), "", *_folded(verb.help or command.purpose, 100), ""]
    lines += _examples(list(verb.examples))
    words = [(word_form(w), o) for w in verb.words if (o := command.opt(w.name))]
    if words:
        lines += ["words:"]
        for form, o in words:
            lines += _wrapped(f"    {form}", o, 34)
        lines.append("")
    if mine:
        lines += ["options:", *_options_block(mine), ""]
    lines += ["everywhere:", *_options_block(COMMON)]
    lines += _tool_note(command)
    return "\n".join(lines) + "\n"


def flag_help(command: Command) -> str:
    """Help of a Kafka tool: its purpose, then the table of its options by name."""
    every = (*command.options, *command.actions, *_kafka_common(command))
    options = sorted((o for o in every if not o.hidden), key=lambda o: o.name)
    lines = [command.purpose, f"{'Option':40} Description", f"{'------':40} -----------"]
    for o in options:
        lines += _wrapped(f"--{o.name} <{o.value}>" if o.value else f"--{o.name}", o, 40, indent="")
    return "\n".join(lines) + "\n"


def _kafka_common(command: Command) -> list[Opt]:
    own = {o.name for o in command.options}
    return [o for o in COMMON if o.name not in own]


def _call(verb: Verb) -> str:
    return " ".join([verb.name, *(word_form(p) for p in verb.words)])


def _visible(options: Iterable[Opt]) -> list[Opt]:
    """Those that help shows; what goes everywhere is told of once, at the end."""
    return [o for o in options if not o.hidden and o not in COMMON]


def _options_block(options: Iterable[Opt]) -> list[str]:
    lines: list[str] = []
    for o in options:
        short = f"-{o.short}, " if o.short else "    "
        lines += _wrapped(f"{short}--{o.name}" + (f" {o.value}" if o.value else ""), o, 34)
    return lines


def _wrapped(head: str, o: Opt, width: int, indent: str = "  ") -> list[str]:
    """Name left, text right, folded at 100 columns."""
    text = o.help
    if o.choices:
        text += f": {', '.join(o.choices)}"
    if o.default is not None:
        text += f" (default: {o.default})"
    if o.many:
        text += " (may be repeated)"
    folded = _folded(text, 100 - width - 1 - len(indent))
    first = f"{indent}{head:{width}} {folded[0]}"
    if len(head) > width:
        return [f"{indent}{head}", *(f"{indent}{'':{width}} {x}" for x in folded)]
    return [first.rstrip(), *(f"{indent}{'':{width}} {x}" for x in folded[1:])]


def _folded(text: str, room: int) -> list[str]:
    """``text`` in lines of at most ``room`` characters."""
    folded, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > room:
            folded.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return [*folded, line]


def _examples(examples: list[str]) -> list[str]:
    return ["examples:", *(f"  {e}" for e in examples), ""] if examples else []


def _tool_note(command: Command) -> list[str]:
    if not command.tool:
        return []
    return ["", f"Kafka's flags work too: pko {command.tool} --help"]
