"""Kafka's other form: tools with verbs, read and worded as argparse4j does.

``TOOL [--bootstrap-server B] [--command-config FILE] VERB [--option VALUE...]``: options before
the verb belong to the tool, those behind it to the verb.
"""

from __future__ import annotations

from pykafka_ops.commands.framework.args import Args, OptionError
from pykafka_ops.commands.framework.params import table
from pykafka_ops.commands.framework.types import Whole, java_integer
from pykafka_ops.commands.framework.verb import Verb
from pykafka_ops.commands.kafka_syntax.tool import Tool

_EITHER = "bootstrap-controller"
"""Where a tool has it, it stands for ``--bootstrap-server``."""
_GLOBAL = ("bootstrap-server", _EITHER, "command-config", "version", "help", "debug", "output")
_WIDTH = 75
_JAVA = {31: "Integer", 63: "Long"}


def read(tool: Tool, words: list[str]) -> Args:
    """Parse as argparse4j; OptionError holds the usage and the complaint."""
    args = Args(table(tool.options.values()), "", flags=True)
    rest = list(words)
    while rest and rest[0].startswith("-"):
        name = _name(rest[0])
        if name not in _GLOBAL or name not in tool.options:
            raise _error(tool, None, f"unrecognized arguments: '{rest[0]}'")
        _take(tool, args, None, rest)
    if args.has("help") or args.has("version"):
        return args
    if not rest:
        raise _error(tool, None, "too few arguments")
    verb = next((v for v in tool.verbs if v.tool_name == rest[0]), None)
    if verb is None:
        # 4.x has some more, which go by another name in pko's form: understood, but not offered
        choices = ", ".join(f"'{v.name}'" for v in tool.verbs if v.tool_name == v.name)
        raise _error(tool, None, f"invalid choice: '{rest[0]}' (choose from {choices})")
    args.verb = verb.name or ""
    rest.pop(0)
    while rest:
        if _name(rest[0]) not in (*_options(verb), "help"):
            raise _error(tool, verb, f"unrecognized arguments: '{rest[0]}'")
        _take(tool, args, verb, rest)
    _complete(tool, args, verb)
    return args


def read_tersely(tool: Tool, words: list[str]) -> Args:
    """The same for a tool that words complaints itself and may work without brokers; OptionError
    holds the complaint alone."""
    try:
        return read(tool, words)
    except _ComplaintError as error:
        raise OptionError(error.complaint) from None


class _ComplaintError(OptionError):
    """Usage and complaint; ``complaint`` has no usage."""

    def __init__(self, usage: str, program: str, complaint: str) -> None:
        super().__init__(f"{usage}\n{program}: error: {complaint}")
        self.complaint = complaint


def _options(verb: Verb) -> tuple[str, ...]:
    """The options of a verb in the order of its usage; the words of pko's form are options, too,
    first unless ``options`` names them again."""
    words = [w.option.kafka for w in verb.words if w.option.long not in verb.own]
    own = (verb.options[name] for name in verb.own if name != _EITHER)
    return (*words, *(option.kafka for option in own if not option.ours))


def _name(word: str) -> str:
    if word.startswith("--"):
        return word[2:].partition("=")[0]
    short = {"-h": "help", "-v": "version"}
    return short.get(word, word)


def _take(tool: Tool, args: Args, verb: Verb | None, rest: list[str]) -> None:
    word = rest.pop(0)
    option = tool.options[_name(word)]
    if not option.value:
        args.values.setdefault(option.long, [])
        return
    _, eq, value = word.partition("=")
    if not eq:
        if not rest:
            raise _error(tool, verb, f"argument {word}: expected one argument")
        value = rest.pop(0)
    if option.multiple:
        args.values.setdefault(option.long, []).append(value)
        return
    if isinstance(option.type, Whole) and java_integer(value, option.bits) is None:
        kind = _JAVA[option.bits]
        text = f"could not convert '{value}' to {kind} (For input string: \"{value}\")"
        raise _error(tool, verb, f"argument --{option.kafka}: {text}")
    args.values[option.long] = [value]


def _complete(tool: Tool, args: Args, verb: Verb) -> None:
    if args.has("help"):
        return
    for word in verb.words:
        if word.count in "1+" and not args.has(word.option.long):
            raise _error(tool, verb, f"argument --{word.option.kafka} is required")
    if _EITHER in tool.options:
        _complete_either(tool, args)
    elif not args.has("bootstrap-server"):
        raise _error(tool, None, "argument --bootstrap-server is required")


def _complete_either(tool: Tool, args: Args) -> None:
    """Brokers or controllers, one of them."""
    given = [name for name in args.values if name in ("bootstrap-server", _EITHER)]
    if len(given) > 1:
        text = f"argument --{given[1]}: not allowed with argument --{given[0]}"
        raise _error(tool, None, text)
    if not given and tool.check is None:
        text = f"one of the arguments --bootstrap-server --{_EITHER} is required"
        raise _error(tool, None, text)


def _error(tool: Tool, verb: Verb | None, text: str) -> OptionError:
    return _ComplaintError(usage(tool, verb), tool.program, text)


def usage(tool: Tool, verb: Verb | None) -> str:
    """The usage of the tool or of one verb, folded as argparse4j folds it."""
    head = f"usage: {tool.program}"
    servers = ["--bootstrap-server host:port"]
    if _EITHER in tool.options:
        servers = ["(--bootstrap-server BOOTSTRAP_SERVER |",
                   "--bootstrap-controller BOOTSTRAP_CONTROLLER)"]  # fmt: skip
    if verb is None and _EITHER in tool.options:
        names = ",".join(v.tool_name for v in tool.verbs if v.tool_name)
        parts = ["[-h]", "[--command-config COMMAND_CONFIG]", *servers, f"{{{names}}}", "..."]
    elif verb is None:
        parts = ["[-h]", "[-v]", "[--command-config FILE]", "--bootstrap-server host:port",
                 "COMMAND ..."]  # fmt: skip
    else:
        parts = [*servers, verb.tool_name, "[-h]"]
        known = (name for name in _options(verb) if not tool.options[name].newer)
        parts += [_form(tool, verb, name) for name in known]
    lines, line = [], head
    for part in parts:
        if len(line) + 1 + len(part) > _WIDTH:
            lines.append(line)
            line = " " * len(head)
        line += f" {part}"
    return "\n".join([*lines, line])


def _form(tool: Tool, verb: Verb, name: str) -> str:
    value = f" {name.upper().replace('-', '_')}" if tool.options[name].value else ""
    required = any(w.option.kafka == name and w.count in "1+" for w in verb.words)
    return f"--{name}{value}" if required else f"[--{name}{value}]"
