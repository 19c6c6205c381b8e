"""The steps in their order, what each needs, and how a round of them went."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from typing import Final, NamedTuple

from pykafka_ops.client.smoke.site import NothingToDoError, SmokeSite, StepError
from pykafka_ops.client.smoke.steps.compacted import compacted
from pykafka_ops.client.smoke.steps.consume import consume
from pykafka_ops.client.smoke.steps.create import create
from pykafka_ops.client.smoke.steps.delete import delete
from pykafka_ops.client.smoke.steps.group import group
from pykafka_ops.client.smoke.steps.metadata import metadata
from pykafka_ops.client.smoke.steps.produce import produce
from pykafka_ops.client.smoke.steps.transaction import transaction
from pykafka_ops.errors import PkoError

OK, FAILED, NOT_RUN, LEFT_OUT = "ok", "failed", "not run", "left out"


class Step(NamedTuple):
    """``needs``: the step whose success it builds on. ``writes``: not where nothing is written."""

    name: str
    work: Callable[[SmokeSite], str]
    needs: str = ""
    writes: bool = True


class StepOutcome(NamedTuple):
    """How a step went: its verdict, its time in ms (None: it did not run), where and why it hurts,
    what it saw."""

    step: str
    verdict: str
    ms: float | None
    where: str = ""
    reason: str = ""
    detail: str = ""


STEPS: Final = (
    Step("metadata", metadata, writes=False),
    Step("create", create, "metadata"),
    Step("produce", produce, "create"),
    Step("consume", consume, "produce", writes=False),
    Step("group", group, "produce"),
    Step("transaction", transaction, "produce"),
    Step("compacted", compacted, "create"),
    Step("delete", delete, "metadata"),
)


def with_needs(names: Iterable[str]) -> frozenset[str]:
    """These steps, those that they build on, and the one that removes what they make."""
    wanted = set(names)
    for step in reversed(STEPS):
        if step.name in wanted and step.needs:
            wanted.add(step.needs)
    return frozenset(wanted | ({"delete"} if "create" in wanted else set()))


def run_steps(
    site: SmokeSite, each: Callable[[str], None], only: Collection[str] | None = None
) -> list[StepOutcome]:
    """One after the other, ``only`` these (None: all); ``each`` hears the name of every step before
    it is run."""
    outcomes: list[StepOutcome] = []
    blocked: set[str] = set()
    for step in STEPS:
        if only is not None and step.name not in only:
            continue
        if site.read_only and step.writes:
            outcomes.append(StepOutcome(step.name, LEFT_OUT, None, detail=site.wording.read_only))
        elif step.needs in blocked:
            blocked.add(step.name)
            outcomes.append(StepOutcome(step.name, NOT_RUN, None, reason=f"needs {step.needs}"))
        else:
            each(step.name)
            outcome, passable = _run(step, site)
            outcomes.append(outcome)
            if not passable:
                blocked.add(step.name)
    return outcomes


def _run(step: Step, site: SmokeSite) -> tuple[StepOutcome, bool]:
    """How a step went, and whether those that need it can be run."""
    started = time.monotonic()

    def took() -> float:
        return round((time.monotonic() - started) * 1000, 1)

    try:
        detail = step.work(site)
    except NothingToDoError as why:
        return StepOutcome(step.name, LEFT_OUT, None, detail=str(why)), True
    except StepError as hurt:
        return StepOutcome(step.name, FAILED, took(), hurt.where, str(hurt)), hurt.partly
    except PkoError as error:
        return StepOutcome(step.name, FAILED, took(), reason=site.in_words(error)), False
    return StepOutcome(step.name, OK, took(), detail=detail), True
