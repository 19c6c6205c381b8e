"""``--list``, ``--add`` and ``--remove`` of kafka-acls, against brokers or their znodes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby

from pykafka_ops.client.acls import EVERY_RULE, Removed
from pykafka_ops.client.generation import is_kafka_4
from pykafka_ops.commands.acls import asked
from pykafka_ops.commands.acls.kafka import AclProblem
from pykafka_ops.commands.acls.store import ClusterRules, RuleStore
from pykafka_ops.commands.acls.words import rules_table
from pykafka_ops.commands.framework.failures import java_text, raise_first, text_of
from pykafka_ops.commands.framework.output import Table
from pykafka_ops.commands.framework.run import Run
from pykafka_ops.errors import KafkaError
from pykafka_ops.security.acls.filters import AclFilter
from pykafka_ops.security.acls.rules import AclBinding, AclEntry, ResourcePattern


def run_tool(run: Run) -> Table | None:
    """What the flags say. OptionError, AclProblem, KafkaError and what the connection raises."""
    if run.args.has("add"):
        return _add(run)
    return _remove(run) if run.args.has("remove") else _list(run)


@contextmanager
def _opened(run: Run) -> Iterator[RuleStore]:
    """The brokers, or without them the authorizer's ZooKeeper."""
    if run.args.has("bootstrap-server"):
        yield ClusterRules(run.cluster())
        return
    from pykafka_ops.commands.acls.zookeeper import opened

    with opened(run) as store:
        yield store


def _list(run: Run) -> Table:
    args = run.args
    with _opened(run) as store:
        named = asked.resources(args)
        principals = asked.principals(args, "principal")
        filters = [AclFilter(*resource) for resource in named] or [EVERY_RULE]
        rules = sorted({rule for wanted in filters for rule in store.describe(wanted)})
    blocks = _current_of_4 if _is_4(run, "describeAcls") else _current
    if not principals:
        return rules_table(rules, kafka=blocks(rules))
    mine = [rule for rule in rules if rule.entry.principal in principals]
    return rules_table(mine, kafka=_of_principals(principals, rules, blocks))


def _is_4(run: Run, call: str) -> bool:
    """Whether brokers of Kafka 4 are asked, whose tool writes rules otherwise."""
    return run.args.has("bootstrap-server") and is_kafka_4(run.cluster(), call)


def _of_principals(
    principals: Iterable[str],
    rules: Sequence[AclBinding],
    blocks: Callable[[Sequence[AclBinding]], Iterator[str]],
) -> Iterator[str]:
    for principal in principals:
        yield f"ACLs for principal `{principal}`\n"
        yield from blocks([r for r in rules if r.entry.principal == principal])


def _add(run: Run) -> Table | None:
    wanted = asked.to_add(run.args)
    quiet = run.output != "table"
    rules: list[AclBinding] = []
    with _opened(run) as store:
        is_4 = _is_4(run, "createAcls")
        for resource, entries in wanted.items():
            mine = [AclBinding(resource, entry) for entry in sorted(entries)]
            rules += mine
            there = set(store.describe(AclFilter(*resource))) if is_4 else set()
            if not quiet:
                sys.stdout.writelines(_already(rule) for rule in mine if rule in there)
                sys.stdout.writelines(_adding([r for r in mine if r not in there], is_4=is_4))
            _settle(run, "adding", store.create([r for r in mine if r not in there]))
    return rules_table(rules) if quiet else None


def _already(rule: AclBinding) -> str:
    pattern, entry = _resource(rule.resource), _entry(rule.entry)
    return f"Acl (pattern={pattern}, entry={entry}) already exists.\n"


def _remove(run: Run) -> Table | None:
    found: list[Removed] = []
    with _opened(run) as store:
        for resource, entries in asked.asked(run.args).items():
            if run.args.has("force") or _confirmed(resource, sorted(entries)):
                filters = [AclFilter(*resource)]
                if entries:
                    filters = [_of_entry(resource, entry) for entry in sorted(entries)]
                done = store.delete(filters)
                found += done
                _settle(run, "removing", [_error(one) for one in done])
    if run.output == "table":
        return None
    return rules_table(sorted({rule for one in found for rule in one.rules}))


def _of_entry(resource: ResourcePattern, entry: AclEntry) -> AclFilter:
    who = (entry.principal, entry.host, entry.operation, entry.permission)
    return AclFilter(resource.type, resource.name, resource.pattern, *who)


def _error(done: Removed) -> KafkaError | None:
    return done.error or next((error for _, error in done.failed), None)


def _settle(run: Run, doing: str, errors: Sequence[KafkaError | None]) -> None:
    """An admin client fails with the first error; the authorizer's are printed, each."""
    if run.args.has("bootstrap-server"):
        raise_first(errors)
        return
    for error in errors:
        if error is not None:
            text = f"Error while {doing} ACLs: {text_of(error)}\n{java_text(error)}\n\n"
            sys.stdout.write(text)


def _confirmed(resource: ResourcePattern, entries: Sequence[AclEntry]) -> bool:
    """Ask on stdin; AclProblem where nobody is there to answer."""
    question = f"remove ACLs: \n {_lines(entries)} \n from" if entries else "delete all ACLs for"
    sys.stdout.write(
        f"Are you sure you want to {question} resource filter `{_resource(resource)}`? (y/n)\n"
    )
    sys.stdout.flush()
    answer = sys.stdin.readline()
    if not answer:
        raise AclProblem(
            "no answer on standard input: add --force", "java.lang.NullPointerException"
        )
    return answer.strip("\r\n").lower() == "y"


def _adding(rules: Sequence[AclBinding], *, is_4: bool) -> Iterator[str]:
    """A block for each resource; ``rules`` are in order."""
    end = "" if is_4 else " "
    for resource, lines in _by_resource(rules):
        yield f"Adding ACLs for resource `{resource}`: \n {lines}{end}\n\n"


def _current(rules: Sequence[AclBinding]) -> Iterator[str]:
    """A block for each resource; ``rules`` are in order."""
    for resource, lines in _by_resource(rules):
        yield f"Current ACLs for resource `{resource}`: \n {lines} \n\n"


def _current_of_4(rules: Sequence[AclBinding]) -> Iterator[str]:
    """The same as Kafka 4 has it."""
    for resource, lines in _by_resource(rules):
        yield f"Current ACLs for resource `{resource}`:\n{lines}\n\n"


def _by_resource(rules: Sequence[AclBinding]) -> Iterator[tuple[str, str]]:
    for resource, mine in groupby(rules, key=lambda rule: rule.resource):
        yield _resource(resource), _lines([rule.entry for rule in mine])


def _resource(resource: ResourcePattern) -> str:
    type_, name, pattern = resource
    return f"ResourcePattern(resourceType={type_.name}, name={name}, patternType={pattern.name})"


def _lines(entries: Sequence[AclEntry]) -> str:
    return "\n".join(f"\t{_entry(entry)}" for entry in entries)


def _entry(entry: AclEntry) -> str:
    return (
        f"(principal={entry.principal}, host={entry.host}, operation={entry.operation.name}, "
        f"permissionType={entry.permission.name})"
    )
