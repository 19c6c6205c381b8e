"""What a run of a report came to: its document (``-o json``) and exit code as one small value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, cast

from pykafka_ops.errors import StorageError

Tone = Literal["ok", "warn", "bad"]
CONDITION_MET = 4
"""The exit code where a row meets ``--fail-on``."""


@dataclass(frozen=True, slots=True)
class ReportResult:
    """``report`` is lag, skew, retention, audit or all; ``exit_code`` that of ``pko spark``.

    ``tone`` is ok, warn or bad, ``verdict`` the sentence that says why. ``now`` is the moment that
    the report is about (ISO 8601). By kind of report: ``summary`` has its figures, ``sections``
    how many rows each section has (None: nobody knows), ``problems`` how many places could not be
    read. ``paths`` are the files that were written, by option: ``html``, ``metrics`` ...
    """

    report: str
    exit_code: int
    tone: Tone
    verdict: str
    now: str
    summary: Mapping[str, Mapping[str, Any]]
    sections: Mapping[str, Mapping[str, int | None]]
    problems: Mapping[str, int]
    paths: Mapping[str, str]

    @property
    def condition_met(self) -> bool:
        """Whether a row meets ``--fail-on``, or it is not known which rows there are."""
        return self.exit_code == CONDITION_MET

    def as_dict(self) -> dict[str, Any]:
        """As plain values, which JSON and any XCom backend hold."""
        return asdict(self)

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> ReportResult:
        """The result that :meth:`as_dict` gave; TypeError for another value."""
        return cls(**value)

    @classmethod
    def of(
        cls, report: str, exit_code: int, document: Mapping[str, Any], paths: Mapping[str, str]
    ) -> ReportResult:
        """From the document of ``-o json``; StorageError where it is none."""
        try:
            each = document.get("reports", [document])
            named = {str(one["kind"]).removesuffix("-report"): one for one in each}
            verdict = document["verdict"]
            return cls(
                report=report,
                exit_code=exit_code,
                tone=cast(Tone, verdict["tone"]),
                verdict=str(verdict["text"]),
                now=max(str(one["now"]) for one in each),
                summary={kind: dict(one["summary"]) for kind, one in named.items()},
                sections={kind: _rows(one["sections"]) for kind, one in named.items()},
                problems={kind: len(one["problems"]) for kind, one in named.items()},
                paths=dict(paths),
            )
        except (KeyError, TypeError, ValueError) as e:
            raise StorageError(f"no document of 'pko spark {report} -o json': {e!r}") from e


def _rows(sections: Mapping[str, Any]) -> dict[str, int | None]:
    return {name: None if s["unknown"] else len(s["rows"]) for name, s in sections.items()}
