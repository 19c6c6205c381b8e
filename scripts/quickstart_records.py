"""Print orders as lines for ``pko produce``: headers TAB key TAB value. Argument: how many."""

from __future__ import annotations

import json
import random
import sys

ITEMS = {"espresso": 240, "flat white": 380, "croissant": 290, "bagel": 450, "cold brew": 420}
SHOPS = ("zurich-1", "zurich-2", "oslo-1", "lisbon-1")


def order(rng: random.Random, number: int) -> str:
    """One line; the same numbers give the same orders."""
    shop = rng.choice(SHOPS)
    lines = [
        {"item": item, "count": rng.randint(1, 3), "cents": ITEMS[item]}
        for item in rng.sample(sorted(ITEMS), rng.randint(1, 3))
    ]
    total = sum(line["count"] * line["cents"] for line in lines)
    customer = f"customer-{rng.randint(1, 400)}"
    value = {"order": number, "shop": shop, "customer": customer, "lines": lines, "total": total}
    return f"shop:{shop},schema:order-v1\t{customer}\t{json.dumps(value)}"


def main() -> None:
    rng = random.Random(42)
    for number in range(1, int(sys.argv[1]) + 1):
        print(order(rng, number))


if __name__ == "__main__":
    main()
