"""Words to ``Args``, in either tongue.

``flag_tongue`` follows jopt-simple 5 without abbreviations, as Kafka's tools use it: ``--name v``,
``--name=v``, a single dash does too, stray words are kept aside, a value may look like an option.
``verb_tongue`` is the usual GNU style: options anywhere, ``-o json``, ``-ojson``, ``--`` ends them.
"""

from __future__ import annotations

from pykafka_ops.commands.framework.options import (
    COMMON,
    Args,
    Command,
    Opt,
    OptionError,
    Pos,
    Verb,
)
from pykafka_ops.errors import UsageError

ZOOKEEPER_HINT = (
    "\nKafka's tools dropped --zookeeper in 3.0: ask a broker, --bootstrap-server HOST:9092"
)


def parse(command: Command, words: list[str], *, force_flags: bool = False) -> Args:
    """Read ``words`` in the tongue they are written in; OptionError or UsageError."""
    if command.parser == "argparse":
        if not force_flags:
            return verb_tongue(command, words)
        if command.tongue:
            return command.tongue(command, words)
        from pykafka_ops.commands.framework.argparse_tongue import argparse_tongue

        return argparse_tongue(command, words)
    if force_flags or speaks_flags(command, words):
        return flag_tongue(command, words)
    return verb_tongue(command, words)


def speaks_flags(command: Command, words: list[str]) -> bool:
    """Kafka's tongue: an action switch is there, or no word of ours and an option of Kafka's."""
    actions = {v.flag for v in command.verbs if v.flag}
    kafka = {o.name for o in command.options if not o.ours} | {"bootstrap-server"}
    seen = False
    i = 0
    while i < len(words):
        word = words[i]
        i += 1
        if word == "--" or not _is_option(word):
            return False if not actions or command.verb(word) else _any_action(actions, words)
        name, eq, _ = word.lstrip("-").partition("=")
        if word.startswith("--") and name in actions:
            return True
        opt = _named(command, word, name)
        seen = seen or (word.startswith("--") and name in kafka)
        if opt and opt.value and not eq and opt.optional is None and len(name) > 0:
            i += 0 if _glued_short(word) else 1
    return seen


def _any_action(actions: set[str], words: list[str]) -> bool:
    return any(w.startswith("--") and w[2:] in actions for w in words)


def _glued_short(word: str) -> bool:
    return not word.startswith("--") and len(word) > 2


def _named(command: Command, word: str, name: str) -> Opt | None:
    if word.startswith("--") or command.opt(name):
        return command.opt(name)
    return _short(command, name[:1])


def _short(command: Command, letter: str) -> Opt | None:
    return next((o for o in (*command.options, *COMMON) if o.short and o.short == letter), None)


def _is_option(word: str) -> bool:
    return word.startswith("-") and word != "-"


# --- Kafka's tongue ------------------------------------------------------------------------------


class _Jopt:
    """jopt-simple's walk over the words (OptionParserState, AbstractOptionSpec)."""

    def __init__(self, args: Args, words: list[str]) -> None:
        self.args, self.words, self.at = args, words, 0

    def run(self) -> None:
        while self.at < len(self.words):
            word = self.words[self.at]
            self.at += 1
            if word == "--":
                self.args.stray += self.words[self.at :]
                return
            if word.startswith("--"):
                self.long(word[2:])
            elif _is_option(word):
                self.short(word[1:])
            else:
                self.args.stray.append(word)

    def long(self, body: str) -> None:
        name, eq, value = body.partition("=")
        opt = self.known(name)
        if opt is None:
            hint = ZOOKEEPER_HINT if name == "zookeeper" else ""
            raise OptionError(f"{name} is not a recognized option{hint}")
        self.handle(opt, value if eq else None)

    def short(self, body: str) -> None:
        name, eq, value = body.partition("=")
        opt = self.known(name)
        if opt is not None:
            self.handle(opt, value if eq else None)
            return
        for i, letter in enumerate(body):
            opt = self.known(letter) or _short(self.args.command, letter)
            if opt is None:
                raise OptionError(f"{letter} is not a recognized option")
            if opt.value:
                self.handle(opt, body[i + 1 :] or None)
                return
            self.handle(opt, None)

    def known(self, name: str) -> Opt | None:
        return self.args.command.opt(name) if name else None

    def handle(self, opt: Opt, value: str | None) -> None:
        self.args.order.append(opt.name)
        if not opt.value:
            self.args.values.setdefault(opt.name, [])
            return
        if value is None:
            value = self.following(opt)
        got = self.args.values.setdefault(opt.name, [])
        if value is None:
            if opt.optional:
                got.append(opt.optional)
            return
        parts = [p for p in value.split(opt.separator) if p] if opt.separator else []
        got += parts or [value]

    def following(self, opt: Opt) -> str | None:
        more = self.at < len(self.words)
        if opt.optional is None:
            if not more:
                raise OptionError(f"Option {opt.name} requires an argument")
        elif not more or _is_option(self.words[self.at]):
            return None
        self.at += 1
        return self.words[self.at - 1]


def flag_tongue(command: Command, words: list[str]) -> Args:
    """Parse as jopt-simple; ``settle`` checks and finds the verb."""
    args = Args(command, command.verbs[0], flags=True)
    args.said = list(words)
    _Jopt(args, words).run()
    return args


def settle(args: Args) -> None:
    """Kafka's own checks, then the verb whose switch was given (else the first)."""
    if not args.flags:
        return
    if args.command.check:
        args.command.check(args)
    for verb in args.command.verbs:
        if verb.flag and args.has(verb.flag):
            args.verb = verb
            break


# --- our tongue ----------------------------------------------------------------------------------


def verb_tongue(command: Command, words: list[str]) -> Args:
    """Parse ``[VERB] [WORD...] [options]``; UsageError says what to try instead."""
    args = Args(command, command.verbs[0], flags=False)
    plain = _options_out(args, words)
    single = len(command.verbs) == 1 and not command.verbs[0].name
    if not single and not args.has("version"):
        if not plain:
            if not args.has("help"):
                raise UsageError(f"say what to do: pko {command.name} {_choices(command)}")
            args.verb = Verb("", "", "")
            return args
        if command.verb(plain[0]) is None and command.implied and command.implied(plain[0]):
            args.verb = command.verbs[0]
        else:
            args.verb = _pick(command, plain.pop(0))
    if args.has("help") or args.has("version"):
        return args
    _fits(args)
    _fill(args, plain)
    return args


def _options_out(args: Args, words: list[str]) -> list[str]:
    plain: list[str] = []
    rest = words[::-1]
    while rest:
        word = rest.pop()
        if word == "--":
            plain += rest[::-1]
            break
        if not _is_option(word):
            plain.append(word)
            if _ends_options(args.command, plain):
                plain += rest[::-1]
                break
        elif word.startswith("--"):
            name, eq, value = word[2:].partition("=")
            opt = args.command.opt(name)
            if opt is None:
                raise UsageError(f"no such option: --{name}{_near(args.command, name)}")
            _take(args, opt, value if eq else None, rest)
        else:
            _cluster(args, word[1:], rest)
    return plain


def _ends_options(command: Command, plain: list[str]) -> bool:
    """Whether all that follows is for another program."""
    verb = command.verb(plain[0]) if len(plain) == 2 else None
    return verb is not None and verb.verbatim


def _cluster(args: Args, letters: str, rest: list[str]) -> None:
    for i, letter in enumerate(letters):
        opt = _short(args.command, letter)
        if opt is None:
            if letter.isdigit():
                raise UsageError(f"-{letters} looks like a number: write it as --option=-{letters}")
            raise UsageError(f"no such option: -{letter}")
        if opt.value:
            _take(args, opt, letters[i + 1 :] or None, rest)
            return
        _take(args, opt, None, rest)


def _take(args: Args, opt: Opt, value: str | None, rest: list[str]) -> None:
    """``rest`` are the words behind, the next one last."""
    if not opt.value:
        if value is not None:
            raise UsageError(f"--{opt.name} takes no value")
        args.values.setdefault(opt.name, [])
        return
    if value is None:
        bare = opt.optional is not None and not (rest and _is_value(opt, rest[-1]))
        value = opt.optional if bare else (rest.pop() if rest else None)
    if value is None:
        raise UsageError(f"--{opt.name} needs a value: --{opt.name} {opt.value}")
    if opt.choices and value not in opt.choices:
        raise UsageError(f"--{opt.name} {value}: choose one of {', '.join(opt.choices)}")
    got = args.values.setdefault(opt.name, [])
    if got and not opt.many:
        raise UsageError(f"--{opt.name} was given twice")
    got.append(value)


def _is_value(opt: Opt, word: str) -> bool:
    """Whether the word behind an option that can do without is its value."""
    if not opt.values:
        return word in opt.choices
    import re

    return re.fullmatch(opt.values, word, re.IGNORECASE) is not None


def _pick(command: Command, word: str) -> Verb:
    verb = command.verb(word)
    if verb is None:
        raise UsageError(f"pko {command.name}: no such verb: {word}; one of {_choices(command)}")
    return verb


def _choices(command: Command) -> str:
    return ", ".join(v.name for v in command.verbs)


def _fits(args: Args) -> None:
    """Every option given belongs to the verb."""
    verb = args.verb
    ok = {*verb.options, *(w.name for w in verb.words), *(o.name for o in COMMON)}
    for name in args.values:
        if name not in ok:
            where = f"{args.command.name} {verb.name}".strip()
            raise UsageError(f"--{name} does not go with 'pko {where}'")


def _fill(args: Args, plain: list[str]) -> None:
    """Hand the words out to the verb's places."""
    left = list(plain)
    words = args.verb.words
    for i, pos in enumerate(words):
        if args.has(pos.name) and not left:
            continue
        keep = sum(1 for p in words[i + 1 :] if p.count in ("1", "+"))
        if pos.count in ("1", "?"):
            taken = left[:1] if len(left) > (keep if pos.count == "?" else 0) else []
        else:
            taken = left[: len(left) - keep]
        left = left[len(taken) :]
        if not taken and pos.count in ("1", "+"):
            raise UsageError(f"which {pos.metavar}? {usage(args.command, args.verb)}")
        if taken:
            opt = args.command.opt(pos.name)
            wrong = [w for w in taken if opt and opt.choices and w not in opt.choices]
            if wrong and opt:
                raise UsageError(f"{wrong[0]}: choose one of {', '.join(opt.choices)}")
            args.values.setdefault(pos.name, []).extend(taken)
    if left:
        raise UsageError(f"one word too many: {left[0]}; {usage(args.command, args.verb)}")


def word_form(pos: Pos) -> str:
    """A place as the usage line shows it."""
    return {"1": "{}", "?": "[{}]", "+": "{}...", "*": "[{}...]"}[pos.count].format(pos.metavar)


def usage(command: Command, verb: Verb) -> str:
    """One line: how the verb is called."""
    parts = ["pko", command.name, verb.name, *(word_form(p) for p in verb.words), "[options]"]
    return "usage: " + " ".join(p for p in parts if p)


def _near(command: Command, name: str) -> str:
    import difflib

    names = [o.name for o in (*command.options, *COMMON) if not o.hidden]
    close = difflib.get_close_matches(name, names, 1)
    return f" (did you mean --{close[0]}?)" if close else ""
