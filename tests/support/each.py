"""Many small cases in one test: as tests of their own, they take longer to begin than to run."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection
from typing import Any

Test = Callable[..., None]


def each(names: str, cases: Collection[Any], name: Callable[[Any], str] = str) -> Any:
    """As ``pytest.mark.parametrize`` without ``indirect``, in one test: all cases are checked, and
    those that fail are named. They share the fixtures of a test."""
    taken = [each_name.strip() for each_name in names.split(",")]

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def check_all(**fixtures: Any) -> None:
            failed: dict[str, Exception] = {}
            for case in cases:
                values = case if len(taken) > 1 else (case,)
                try:
                    test(**fixtures, **dict(zip(taken, values, strict=True)))
                except Exception as error:
                    failed[name(case)] = error
            if failed or not cases:
                said = (f"{case}: {type(e).__name__}: {e}" for case, e in failed.items())
                count = f"{len(failed)} of {len(cases)} cases fail"
                raise AssertionError("\n".join((count, *said))) from next(
                    iter(failed.values()), None
                )

        known = inspect.signature(test)
        kept = [p for p in known.parameters.values() if p.name not in taken]
        check_all.__signature__ = known.replace(parameters=kept)  # type: ignore[attr-defined]
        return check_all

    return decorate
