"""A report as a directory of files, one per section, beside a list of them.

``_report.json`` in the directory says which files are ours, what the report is about, and what each
column means. Readers of Parquet and Spark pass over names that begin with ``_``.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from pykafka_ops.spark.model import Column, Report, Row, Section
from pykafka_ops.spark.output.arrow import parquet_bytes
from pykafka_ops.spark.output.document import document, plain, values
from pykafka_ops.spark.output.stores import Store

LIST = "_report.json"


def section_files(
    report: Report, form: str, folder: str, whole: Collection[str] = ()
) -> dict[str, bytes]:
    """Every section as ``SECTION.csv`` or ``SECTION.parquet``, as ``form`` says, but those that are
    ``whole`` already, and the list of them all; ``folder`` is "" or ends in /."""
    write = _WRITERS[form]
    made = {f"{s.name}.{form}": write(s) for s in report.sections if s.name not in whole}
    about = document(report)
    sections = about.pop("sections")
    assert isinstance(sections, dict)
    about["files"] = sorted([*made, *(f"{name}.{form}" for name in whole)])
    about["columns"] = {name: section["columns"] for name, section in sections.items()}
    text = json.dumps(about, ensure_ascii=False, indent=1) + "\n"
    return {f"{folder}{name}": data for name, data in {**made, LIST: text.encode()}.items()}


def csv_bytes(section: Section) -> bytes:
    """RFC 4180 with a header, lines end with a newline alone; null is empty."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([c.name for c in section.columns])
    for row in section.rows:
        writer.writerow(csv_cells(row, section.columns))
    return out.getvalue().encode("utf-8", "backslashreplace")


def csv_cells(row: Row, columns: Sequence[Column]) -> list[object]:
    """The cells of a row."""
    return [_cell(v) for v in values(row, columns).values()]


def _cell(found: object) -> object:
    """Booleans and what has parts as in JSON."""
    if isinstance(found, bool):
        return "true" if found else "false"
    if isinstance(found, (list, dict)):
        return json.dumps(plain(found), ensure_ascii=False)
    return "" if found is None else found


_WRITERS: Final[Mapping[str, Callable[[Section], bytes]]] = {
    "csv": csv_bytes,
    "parquet": lambda section: parquet_bytes(section, {}),
}


def strangers(store: Store, folder: str, names: list[str]) -> list[str]:
    """Files of ``names`` that are in a folder of ``store`` without being on its list of ours."""
    try:
        listed = json.loads(store.read(f"{folder}{LIST}") or b"").get("files", [])
    except (ValueError, AttributeError):
        listed = []
    ours = {*map(str, listed), LIST} if listed else set()
    there = set(store.names(folder))
    return [f"{store.root}/{folder}{name}" for name in names if name in there - ours]
