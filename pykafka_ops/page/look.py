"""The look that all pages have in common: colours, light and dark, and what charts are drawn in."""

from __future__ import annotations

from importlib.resources import files


def shared_style() -> str:
    """Style sheet with the colours as custom properties and the classes of ``charts``; a page adds
    its own behind it."""
    here = files(__package__)
    sheets = (here / "look.css", here / "charts" / "charts.css")
    return "".join(sheet.read_text(encoding="utf-8") for sheet in sheets)
