"""What most requests need: a right for all of it, and one for each thing that it names.

Counterpart of ``AuthHelper`` in Kafka. A request loses what its client has no right to before the
handler gets it; that stands in the answer with its error.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from copy import copy
from dataclasses import dataclass
from itertools import compress
from types import CoroutineType, GeneratorType
from typing import Any, Final

from pykafka_ops.broker.handlers.api import Answer, Context, Handle
from pykafka_ops.broker.hot.deferred import Deferred
from pykafka_ops.broker.state.steps import Steps, each
from pykafka_ops.errors import KafkaError
from pykafka_ops.security.acls.rules import CLUSTER_NAME, Operation, ResourceType
from pykafka_ops.wire.codes import ErrorCode
from pykafka_ops.wire.message import table_of

REFUSALS: Final = {
    ResourceType.TOPIC: ErrorCode.TOPIC_AUTHORIZATION_FAILED,
    ResourceType.GROUP: ErrorCode.GROUP_AUTHORIZATION_FAILED,
    ResourceType.CLUSTER: ErrorCode.CLUSTER_AUTHORIZATION_FAILED,
    ResourceType.TRANSACTIONAL_ID: ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    ResourceType.DELEGATION_TOKEN: ErrorCode.DELEGATION_TOKEN_AUTHORIZATION_FAILED,
}
"""What a client hears that has no right to something of that type."""

Failed = Callable[[Any, int, KafkaError], object]
"""The answer for a request, in a version, that failed."""


@dataclass(frozen=True, slots=True)
class Served:
    """What is behind the check: the handler, and answers that have an error at the top, or at each
    item of the request."""

    handle: Handle
    failed: Failed
    items_failed: Failed


Guard = Callable[[Context, Any, Served], Answer]
"""Answers a request as far as its client has the rights. KafkaError stands for all of it."""


@dataclass(frozen=True, slots=True)
class Need:
    """A right that the whole request needs; ``field`` names the resource, without one it is the
    cluster. ``text`` goes with the error."""

    operation: Operation
    type: ResourceType = ResourceType.CLUSTER
    field: str = ""
    text: str = ""

    def name(self, request: object) -> str:
        """The resource that this request is about."""
        return (getattr(request, self.field) or "") if self.field else CLUSTER_NAME

    def allows(self, context: Context, request: object, *, quiet: bool = False) -> bool:
        """Whether the client has the right."""
        return context.may(self.operation, self.type, self.name(request), quiet=quiet)

    def require(self, context: Context, request: object) -> None:
        """Raises KafkaError with the code of the resource's type."""
        if not self.allows(context, request):
            raise KafkaError(REFUSALS[self.type], self.text)


@dataclass(frozen=True, slots=True)
class Each:
    """A right for each item of ``array``, by its ``key`` (without one, items are names).

    Items of the answer have it as ``answered`` if that is another field. ``empty`` has the handler
    called even if nothing is left. ``text`` goes with the error. ``doubles`` says that the handler
    itself refuses names that stand there twice.
    """

    operation: Operation
    type: ResourceType
    array: str
    key: str = ""
    answered: str = ""
    empty: bool = False
    text: str = ""
    doubles: bool = False

    def name(self, item: Any) -> str:
        """The resource that an item is about."""
        return (getattr(item, self.key) or "") if self.key else item

    def refused(self, context: Context, request: object, *, quiet: bool = False) -> Collection[str]:
        """The names that the client has no right to."""
        names = [self.name(item) for item in getattr(request, self.array) or ()]
        if self.doubles:
            names = [name for name, count in Counter(names).items() if count == 1]
        return refused(context, self.operation, self.type, names, quiet=quiet)

    def answer(self, context: Context, request: object, served: Served) -> Answer:
        """The handler's answer for what is left, and the errors of the rest."""
        names = self.refused(context, request)
        if not names:
            return served.handle(context, request)
        rest, others = copy(request), copy(request)
        items = getattr(request, self.array)
        setattr(rest, self.array, [item for item in items if self.name(item) not in names])
        setattr(others, self.array, [item for item in items if self.name(item) in names])
        error = KafkaError(REFUSALS[self.type], self.text)
        errors = served.items_failed(others, context.version, error)
        if not getattr(rest, self.array) and not self.empty:
            return errors
        places = {self.name(item): place for place, item in enumerate(items)}
        key = self.answered or self.key

        def place(item: object) -> int:
            return places.get(getattr(item, key), len(places))

        return after(served.handle(context, rest), lambda found: joined(found, errors, place))


@dataclass(frozen=True, slots=True)
class NeededRights:
    """A request that needs these rights, and for ``each`` of its items one."""

    needs: tuple[Need, ...] = ()
    each: Each | None = None

    def __call__(self, context: Context, request: Any, served: Served) -> Answer:
        for need in self.needs:
            need.require(context, request)
        if self.each is None:
            return served.handle(context, request)
        return self.each.answer(context, request, served)

    def allows_all(self, context: Context, request: Any) -> bool:
        """Whether the client has all these rights; nothing is logged."""
        if not all(need.allows(context, request, quiet=True) for need in self.needs):
            return False
        return self.each is None or not self.each.refused(context, request, quiet=True)


def cluster(operation: Operation, text: str = "") -> NeededRights:
    """A right on the cluster; ``text`` goes with the error."""
    return NeededRights((Need(operation, text=text),))


def free(context: Context, request: Any, served: Served) -> Answer:
    """No right is needed, or the handler asks for it."""
    return served.handle(context, request)


def refused(
    context: Context,
    operation: Operation,
    type_: ResourceType,
    names: Iterable[str],
    *,
    quiet: bool = False,
) -> set[str]:
    """The names, of those asked for, that the client has no right to."""
    return {
        name
        for name, count in Counter(names).items()
        if not context.may(operation, type_, name, count=count, quiet=quiet)
    }


def after(answer: Any, shape: Callable[[Any], Answer]) -> Answer:
    """What ``shape`` makes of an answer, now or once it is there."""
    kind = type(answer)
    if answer is None:
        return None
    if kind is Deferred:
        later: object = answer.shaped(lambda found: after(found, shape))
        return later
    if kind is CoroutineType:
        return _after_task(answer, shape)
    if kind is GeneratorType:
        return _after_steps(answer, shape)
    return shape(answer)


async def _after_task(work: Any, shape: Callable[[Any], Answer]) -> Answer:
    return after(await work, shape)


def _after_steps(steps: Steps[Any], shape: Callable[[Any], Answer]) -> Steps[Answer]:
    found = yield from steps
    return after(found, shape)


def joined(answer: Any, errors: Any, place: Callable[[object], int]) -> Any:
    """An answer with the items of another one of the same kind, in order of their places."""
    for field in table_of(type(answer)).fields:
        others = getattr(errors, field.name) if field.array else None
        if others:
            items = [*(getattr(answer, field.name) or ()), *others]
            setattr(answer, field.name, sorted(items, key=place))
    return answer


def without_hidden(
    context: Context, answer: Any, array: str, type_: ResourceType, key: str
) -> Steps[Any]:
    """An answer without the items of ``array`` that the client may not describe; ``key`` names
    them. Nothing is logged: nobody asked for them by name."""

    def is_shown(item: object) -> bool:
        return context.may(Operation.DESCRIBE, type_, getattr(item, key) or "", quiet=True)

    items = getattr(answer, array)
    shown = yield from each(is_shown, items)
    setattr(answer, array, list(compress(items, shown)))
    return answer


def allowed_operations(context: Context, type_: ResourceType, name: str, supported: int) -> int:
    """Of the operations that a type of resource supports those that the client may do (KIP-430)."""
    return sum(
        1 << operation
        for operation in Operation
        if supported >> operation & 1 and context.may(operation, type_, name, quiet=True)
    )
