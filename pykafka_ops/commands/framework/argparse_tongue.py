"""Kafka's other tongue: tools with verbs, read and worded as argparse4j does.

``TOOL [--bootstrap-server B] [--command-config FILE] VERB [--option VALUE...]``: options before
the verb belong to the tool, those behind it to the verb.
"""

from __future__ import annotations

from pykafka_ops.commands.framework.options import (
    COMMON,
    Args,
    Command,
    Opt,
    OptionError,
    Verb,
    java_integer,
)

_GLOBAL = ("bootstrap-server", "command-config", "version", "help", "debug", "output")
_WIDTH = 75
_JAVA = {"int": ("Integer", 31), "long": ("Long", 63)}


def argparse_tongue(command: Command, words: list[str]) -> Args:
    """Parse as argparse4j; OptionError holds the usage and the complaint."""
    args = Args(command, command.verbs[0], flags=True)
    rest = list(words)
    while rest and rest[0].startswith("-"):
        name = _name(command, rest[0])
        if name not in _GLOBAL:
            raise _error(command, None, f"unrecognized arguments: '{rest[0]}'")
        _take(args, None, rest)
    if args.has("help") or args.has("version"):
        return args
    if not rest:
        raise _error(command, None, "too few arguments")
    verb = next((v for v in command.verbs if v.tool_name == rest[0]), None)
    if verb is None:
        # 4.x has some more, which go by another name in our tongue: understood, but not offered
        choices = ", ".join(f"'{v.name}'" for v in command.verbs if v.tool_name == v.name)
        raise _error(command, None, f"invalid choice: '{rest[0]}' (choose from {choices})")
    args.verb = verb
    rest.pop(0)
    while rest:
        if _name(command, rest[0]) not in (*_options(verb), "help"):
            raise _error(command, verb, f"unrecognized arguments: '{rest[0]}'")
        _take(args, verb, rest)
    _complete(args, verb)
    return args


def _options(verb: Verb) -> tuple[str, ...]:
    """The options of a verb in the order of its usage; the words of our tongue are options, too,
    first unless ``options`` names them again."""
    words = [w.name for w in verb.words if w.name not in verb.options]
    return (*words, *verb.options)


def _name(command: Command, word: str) -> str:
    if word.startswith("--"):
        return word[2:].partition("=")[0]
    short = {"-h": "help", "-v": "version"}
    return short.get(word, word)


def _take(args: Args, verb: Verb | None, rest: list[str]) -> None:
    word = rest.pop(0)
    opt = args.command.opt(_name(args.command, word))
    assert opt is not None
    if not opt.value:
        args.values.setdefault(opt.name, [])
        return
    _, eq, value = word.partition("=")
    if not eq:
        if not rest:
            raise _error(args.command, verb, f"argument {word}: expected one argument")
        value = rest.pop(0)
    if opt.kind in _JAVA:
        kind, bits = _JAVA[opt.kind]
        if java_integer(value, bits) is None:
            text = f"could not convert '{value}' to {kind} (For input string: \"{value}\")"
            raise _error(args.command, verb, f"argument --{opt.name}: {text}")
    args.values[opt.name] = [value]


def _complete(args: Args, verb: Verb) -> None:
    if args.has("help"):
        return
    for word in verb.words:
        if word.count == "1" and not args.has(word.name):
            raise _error(args.command, verb, f"argument --{word.name} is required")
    if not args.has("bootstrap-server"):
        raise _error(args.command, None, "argument --bootstrap-server is required")


def _error(command: Command, verb: Verb | None, text: str) -> OptionError:
    return OptionError(f"{usage(command, verb)}\n{command.tool}.sh: error: {text}")


def usage(command: Command, verb: Verb | None) -> str:
    """The usage of the tool or of one verb, folded as argparse4j folds it."""
    head = f"usage: {command.tool}.sh"
    if verb is None:
        parts = ["[-h]", "[-v]", "[--command-config FILE]", "--bootstrap-server host:port",
                 "COMMAND ..."]  # fmt: skip
    else:
        parts = ["--bootstrap-server host:port", verb.tool_name, "[-h]"]
        parts += [_form(command, verb, name) for name in _options(verb)]
    lines, line = [], head
    for part in parts:
        if len(line) + 1 + len(part) > _WIDTH:
            lines.append(line)
            line = " " * len(head)
        line += f" {part}"
    return "\n".join([*lines, line])


def _form(command: Command, verb: Verb, name: str) -> str:
    opt: Opt | None = next((o for o in (*command.options, *COMMON) if o.name == name), None)
    value = f" {name.upper().replace('-', '_')}" if opt and opt.value else ""
    required = any(w.name == name and w.count == "1" for w in verb.words)
    return f"--{name}{value}" if required else f"[--{name}{value}]"
