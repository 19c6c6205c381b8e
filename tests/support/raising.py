"""Where a test checks that nothing is raised, or nothing but what is declared.

``scripts/asserts.py`` wants every test to check something; these say that this is the check.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator


@contextlib.contextmanager
def raises_only(*declared: type[Exception]) -> Iterator[None]:
    """The block ends, or raises one of ``declared``; AssertionError for any other exception."""
    try:
        yield
    except (*declared, AssertionError) as error:
        if isinstance(error, AssertionError):
            raise
    except Exception as error:
        names = ", ".join(each.__name__ for each in declared) or "nothing"
        raise AssertionError(f"raised {error!r}, expected at most {names}") from error


def raises_nothing() -> contextlib.AbstractContextManager[None]:
    """The block ends; AssertionError for any exception."""
    return raises_only()
