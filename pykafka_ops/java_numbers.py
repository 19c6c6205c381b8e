"""Numbers as Java writes them."""

from __future__ import annotations


def java_double(value: float) -> str:
    """``Double.toString``: ``1024.0``, ``1.0E7`` from ten million on, ``1.0E-4``, ``NaN``."""
    return java_decimal(repr(float(value)))


def java_decimal(text: str) -> str:
    """A shortest decimal of Python as ``toString`` of Java's numbers has it: plain from 0.001 to
    below 10^7, else as ``1.5E10``."""
    sign = "-" if text.startswith("-") else ""
    body = text.removeprefix("-").lower()
    if body in ("nan", "inf"):
        return "NaN" if body == "nan" else f"{sign}Infinity"
    mantissa, _, power = body.partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    zeros = len(whole + fraction) - len(digits)
    if not digits:
        return f"{sign}0.0"
    exponent = len(whole) - zeros - 1 + int(power or 0)  # of the first digit
    digits = digits.rstrip("0")
    if -3 <= exponent < 7:
        if exponent < 0:
            return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
        digits = digits.ljust(exponent + 2, "0")
        return f"{sign}{digits[: exponent + 1]}.{digits[exponent + 1 :]}"
    return f"{sign}{digits[0]}.{digits[1:] or '0'}E{exponent}"
