"""The completion scripts.

Words, verbs and options are in the script; only names in the cluster (topics, brokers) start
``pko``, whose answer is kept for a minute in ``$XDG_CACHE_HOME/pko``.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import time

from pykafka_ops.commands import TABLE
from pykafka_ops.commands.framework.context import Context
from pykafka_ops.commands.framework.options import COMMON, Command, Opt, Verb
from pykafka_ops.errors import PkoError

KEEP_SECONDS = 60
PATIENCE_MS = "2000"


def commands() -> list[Command]:
    """Every command that can be loaded."""
    return [importlib.import_module(f"pykafka_ops.commands.{row[1]}").COMMAND for row in TABLE]


def options_of(command: Command, verb: Verb) -> list[Opt]:
    """What may stand behind a verb: its own options and the common ones."""
    mine = {*verb.options, *(w.name for w in verb.words)}
    seen: dict[str, Opt] = {}
    for opt in (*command.options, *COMMON):
        if not opt.hidden and (opt.name in mine or opt in COMMON):
            seen.setdefault(opt.name, opt)
    return list(seen.values())


def _flags(options: list[Opt]) -> str:
    return " ".join(f"--{o.name}" for o in options)


def bash(ctx: Context) -> None:
    """The script for bash."""
    sys.stdout.write(_bash())


def zsh(ctx: Context) -> None:
    """zsh runs bash's script."""
    sys.stdout.write("autoload -U +X bashcompinit && bashcompinit\n" + _bash())


def _bash() -> str:
    lines = ["_pko() {", '  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}',
             '  local command=${COMP_WORDS[1]} verb=${COMP_WORDS[2]} words="" kind=""',
             "  COMPREPLY=()", '  if [ "$COMP_CWORD" = 1 ]; then',
             f'    words="{" ".join(row[0] for row in TABLE)} --help --version"',
             "  else", '    case "$command $prev" in']  # fmt: skip
    for pattern, answer in _values().items():
        lines.append(f"      {pattern}) {answer} ;;")
    lines += ["    esac", '    if [ -z "$words$kind" ]; then case "$command $verb" in']
    lines += _bash_cases()
    lines += ["    esac; fi", "  fi",
              '  if [ "$kind" = file ]; then COMPREPLY=($(compgen -f -- "$cur")); return; fi',
              '  if [ -n "$kind" ] && [ "${cur#-}" = "$cur" ]; then',
              '    words="$words $(pko completion values "$kind" 2>/dev/null)"; fi',
              '  COMPREPLY=($(compgen -W "$words" -- "$cur"))', "}",
              "complete -F _pko pko"]  # fmt: skip
    return "\n".join(lines) + "\n"


def _values() -> dict[str, str]:
    """What may stand after an option, by ``command --option`` (``*`` for the common ones)."""
    found: dict[str, str] = {}
    for command in commands():
        for opt in command.options:
            _value_case(found, command.name, opt)
    for opt in COMMON:
        _value_case(found, "*", opt)
    return found


def _value_case(found: dict[str, str], command: str, opt: Opt) -> None:
    answer = ""
    if opt.choices:
        answer = f'words="{" ".join(opt.choices)}"'
    elif opt.complete:
        answer = f"kind={opt.complete}"
    if not answer:
        return
    where = f'"{command} --{opt.name}"' if command != "*" else f'*" --{opt.name}"'
    if opt.short:
        where += f'|"{command} -{opt.short}"' if command != "*" else f'|*" -{opt.short}"'
    found.setdefault(where, answer)


def _bash_cases() -> list[str]:
    lines = []
    for command in commands():
        verbs = [v for v in command.verbs if v.name]
        for verb in command.verbs:
            kind = _kind(command, verb)
            words = _flags(options_of(command, verb))
            where = f'"{command.name} {verb.name}"' if verb.name else f'"{command.name} "*'
            lines.append(f'      {where}) words="{words}"{f"; kind={kind}" if kind else ""} ;;')
        if verbs:
            names = " ".join(v.name for v in verbs)
            lines.append(f'      "{command.name} "*) words="{names} --help" ;;')
    return lines


def _kind(command: Command, verb: Verb) -> str:
    """What the words of a verb name: topics, brokers, files."""
    for pos in verb.words:
        opt = command.opt(pos.name)
        if opt and opt.complete:
            return opt.complete
    return ""


def fish(ctx: Context) -> None:
    """The script for fish."""
    out = ["complete -c pko -f"]
    out += [
        f"complete -c pko -n __fish_use_subcommand -a {row[0]} -d {_quoted(row[2])}"
        for row in TABLE
    ]
    for command in commands():
        verbs = [v.name for v in command.verbs if v.name]
        here = f"__fish_seen_subcommand_from {command.name}"
        for verb in command.verbs:
            if verb.name:
                no_verb = f"not __fish_seen_subcommand_from {' '.join(verbs)}"
                out.append(f'complete -c pko -n "{here}; and {no_verb}" -a {verb.name} '
                           f"-d {_quoted(verb.help)}")  # fmt: skip
            at = f"{here}; and __fish_seen_subcommand_from {verb.name}" if verb.name else here
            out += [_fish_option(at, o) for o in options_of(command, verb)]
            kind = _kind(command, verb)
            if kind == "file":
                out.append(f'complete -c pko -n "{at}" -F')
            elif kind:
                out.append(f'complete -c pko -n "{at}" -a "(pko completion values {kind})"')
    sys.stdout.write("\n".join(dict.fromkeys(out)) + "\n")


def _fish_option(at: str, opt: Opt) -> str:
    parts = [f'complete -c pko -n "{at}" -l {opt.name}']
    if opt.short:
        parts.append(f"-s {opt.short}")
    if opt.value:
        parts.append("-r")
    if opt.choices:
        parts.append(f'-a "{" ".join(opt.choices)}"')
    elif opt.complete == "file":
        parts.append("-F")
    elif opt.complete:
        parts.append(f'-a "(pko completion values {opt.complete})"')
    return " ".join([*parts, f"-d {_quoted(opt.help)}"])


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


# --- names in the cluster ------------------------------------------------------------------------


def values(ctx: Context) -> None:
    """Names for completion, at most a minute old; silence where the cluster does not answer."""
    kind = ctx.args.text("kind") or ""
    servers = ctx.properties().get("bootstrap.servers", "")
    cached = os.path.join(_cache_dir(ctx), f"{kind}-{servers.replace('/', '_')}")
    with contextlib.suppress(OSError):
        if time.time() - os.stat(cached).st_mtime < KEEP_SECONDS:
            with open(cached, encoding="utf-8") as f:
                sys.stdout.write(f.read())
            return
    ctx.args.values.setdefault("setting", []).append(f"default.api.timeout.ms={PATIENCE_MS}")
    try:
        text = "".join(f"{name}\n" for name in _names(ctx, kind))
    except PkoError:
        return
    sys.stdout.write(text)
    with contextlib.suppress(OSError):
        os.makedirs(os.path.dirname(cached), exist_ok=True)
        with open(cached, "w", encoding="utf-8") as f:
            f.write(text)


def _cache_dir(ctx: Context) -> str:
    base = ctx.env.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "pko")


def _names(ctx: Context, kind: str) -> list[str]:
    if kind == "brokers":
        return [str(i) for i in sorted(ctx.cluster().brokers())]
    if kind == "groups":
        from pykafka_ops.client.groups import list_groups

        return sorted(list_groups(ctx.cluster())[0])
    from pykafka_ops.client.topics import all_topics

    return [t.name for t in all_topics(ctx.cluster())]
