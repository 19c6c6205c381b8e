"""Samples per row and target, the table, the JSON."""

from __future__ import annotations

import json
import statistics
from dataclasses import dataclass, field
from pathlib import Path

OURS, APACHE = "ours", "apache"


@dataclass(frozen=True)
class Row:
    """One line of the table; ``goal`` bounds ours / Apache's, or ours alone if ``absolute``."""

    name: str
    unit: str
    goal: float
    higher_is_better: bool = False
    digits: int = 2
    absolute: bool = False

    def reached(self, ratio: float) -> bool:
        shown = round(ratio, 2)
        return shown >= self.goal if self.higher_is_better else shown <= self.goal

    def goal_text(self) -> str:
        unit = "" if self.absolute else "x"
        return f"{'>=' if self.higher_is_better else '<='} {self.goal:g}{unit}"


@dataclass
class Results:
    """All samples of a run."""

    samples: dict[Row, dict[str, list[float]]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def add(self, row: Row, target: str, value: float) -> None:
        self.samples.setdefault(row, {}).setdefault(target, []).append(value)

    def median(self, row: Row, target: str) -> float | None:
        found = self.samples.get(row, {}).get(target)
        return statistics.median(found) if found else None

    def ratio(self, row: Row) -> float | None:
        """Ours as a multiple of Apache Kafka's."""
        ours, theirs = self.median(row, OURS), self.median(row, APACHE)
        return ours / theirs if ours is not None and theirs else None

    def table(self) -> str:
        """Text: medians, spread of ours and theirs, ratio, goal."""
        head = ("", "unit", "Apache Kafka", "ours", "ratio", "goal", "")
        lines = [head]
        for row in self.samples:
            ratio = self.ratio(row)
            judged = self.median(row, OURS) if row.absolute else ratio
            verdict = "" if judged is None else "ok" if row.reached(judged) else "short"
            shown = "-" if ratio is None else f"{ratio:.2f}x"
            cells = (self._cell(row, APACHE), self._cell(row, OURS))
            lines.append((row.name, row.unit, *cells, shown, row.goal_text(), verdict))
        widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
        text = []
        for line in lines:
            cells = [
                c.ljust(w) if i < 2 else c.rjust(w)
                for i, (c, w) in enumerate(zip(line, widths, strict=True))
            ]
            text.append("  ".join(cells).rstrip())
        text.insert(1, "-" * max(map(len, text)))
        return "\n".join([*text, *(f"* {note}" for note in self.notes)])

    def _cell(self, row: Row, target: str) -> str:
        found = self.samples[row].get(target)
        if not found:
            return "-"
        middle = f"{statistics.median(found):,.{row.digits}f}"
        if len(found) == 1:
            return middle
        return f"{middle} ({min(found):,.{row.digits}f}..{max(found):,.{row.digits}f})"

    def write(self, path: Path, machine: dict[str, object]) -> None:
        """The same as JSON, with every sample."""
        rows = [
            {
                "name": row.name,
                "unit": row.unit,
                "goal": row.goal,
                "higher_is_better": row.higher_is_better,
                "samples": self.samples[row],
                "median": {t: self.median(row, t) for t in self.samples[row]},
                "ratio": self.ratio(row),
            }
            for row in self.samples
        ]
        document = {"version": 1, "machine": machine, "rows": rows, "notes": self.notes}
        path.write_text(json.dumps(document, indent=1) + "\n")
