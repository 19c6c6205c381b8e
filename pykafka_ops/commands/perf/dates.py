"""Times by the patterns of Java's SimpleDateFormat, as far as they hold digits and text."""

from __future__ import annotations

import re
import time

from pykafka_ops.commands.perf.failures import ARGUMENT, PerfError

_PART = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+")
_FIELDS = {"M": "%m", "d": "%d", "H": "%H", "m": "%M", "s": "%S"}
_WORDS = {"a": "%p", "z": "%Z", "Z": "%z", "E": "%a"}


def date_text(pattern: str, ms: int) -> str:
    """``ms`` since 1970 in the local zone; PerfError for a letter that means nothing."""
    moment = time.localtime(ms // 1000)
    out = []
    for found in _PART.finditer(pattern):
        text, letter = found[0], found[2]
        if letter is None:
            out.append(text if found[1] is None else found[1].replace("''", "'") or "'")
        elif letter == "y":
            year = str(moment.tm_year)
            out.append(year[-2:] if len(text) == 2 else year.rjust(len(text), "0"))
        elif letter == "S":
            out.append(str(ms % 1000).rjust(len(text), "0"))
        elif letter == "M" and len(text) > 2:
            out.append(time.strftime("%b" if len(text) == 3 else "%B", moment))
        elif letter in _FIELDS:
            out.append(str(int(time.strftime(_FIELDS[letter], moment))).rjust(len(text), "0"))
        elif letter in _WORDS:
            out.append(time.strftime(_WORDS[letter], moment))
        else:
            raise PerfError(f"Illegal pattern character '{letter}'", ARGUMENT)
    return "".join(out)
