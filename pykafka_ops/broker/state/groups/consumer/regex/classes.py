"""Classes of characters that have names: Perl's, POSIX's, and Unicode's general categories."""

from __future__ import annotations

import unicodedata
from functools import cache

from pykafka_ops.broker.state.groups.consumer.regex.nodes import LAST, Ranges, RegexError, merged

DIGIT: Ranges = ((48, 57),)
SPACE: Ranges = ((9, 10), (12, 13), (32, 32))
WORD: Ranges = ((48, 57), (65, 90), (95, 95), (97, 122))
PERL = {"d": DIGIT, "s": SPACE, "w": WORD}
POSIX: dict[str, Ranges] = {
    "alnum": ((48, 57), (65, 90), (97, 122)),
    "alpha": ((65, 90), (97, 122)),
    "ascii": ((0, 127),),
    "blank": ((9, 9), (32, 32)),
    "cntrl": ((0, 31), (127, 127)),
    "digit": DIGIT,
    "graph": ((33, 126),),
    "lower": ((97, 122),),
    "print": ((32, 126),),
    "punct": ((33, 47), (58, 64), (91, 96), (123, 126)),
    "space": ((9, 13), (32, 32)),
    "upper": ((65, 90),),
    "word": WORD,
    "xdigit": ((48, 57), (65, 70), (97, 102)),
}
_CATEGORIES = frozenset(
    [
        "C",
        "Cc",
        "Cf",
        "Co",
        "Cs",
        "L",
        "Ll",
        "Lm",
        "Lo",
        "Lt",
        "Lu",
        "M",
        "Mc",
        "Me",
        "Mn",
        "N",
        "Nd",
        "Nl",
        "No",
        "P",
        "Pc",
        "Pd",
        "Pe",
        "Pf",
        "Pi",
        "Po",
        "Ps",
        "S",
        "Sc",
        "Sk",
        "Sm",
        "So",
        "Z",
        "Zl",
        "Zp",
        "Zs",
    ]
)
_LATIN = "LATIN "
_SCRIPTS: dict[str, Ranges] = {
    "Arabic": ((0x600, 0x6FF),),
    "Armenian": ((0x531, 0x58F),),
    "Common": ((0, 64), (91, 96), (123, 169)),
    "Cyrillic": ((0x400, 0x52F),),
    "Devanagari": ((0x900, 0x97F),),
    "Greek": ((0x370, 0x3FF),),
    "Han": ((0x3400, 0x4DBF), (0x4E00, 0x9FFF)),
    "Hangul": ((0x1100, 0x11FF), (0xAC00, 0xD7AF)),
    "Hebrew": ((0x591, 0x5F4),),
    "Hiragana": ((0x3041, 0x309F),),
    "Katakana": ((0x30A1, 0x30FF),),
    "Thai": ((0xE01, 0xE5B),),
}
"""Where their blocks are: exact for all that a topic's name may have, which is ASCII."""


@cache
def unicode_class(name: str) -> Ranges:
    """The code points of a general category, of ``Any`` or of a script.

    Raises RegexError for names that are none of these, and for rare scripts.
    """
    if name == "Any":
        return ((0, LAST),)
    if name == "Latin":
        return merged(
            [(n, n) for n in range(0x250) if unicodedata.name(chr(n), "").startswith(_LATIN)]
        )
    if name in _SCRIPTS:
        return _SCRIPTS[name]
    if name not in _CATEGORIES:
        raise RegexError("invalid character class range")
    # The basic plane: more would take long, and topics have ASCII.
    found = [(n, n) for n in range(0x3000) if unicodedata.category(chr(n)).startswith(name)]
    return merged(found)
