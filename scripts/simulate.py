"""Runs the simulation of a cluster (``tests/support/simulation.py``) for many seeds.

A seed that fails is printed with what happened last; put it into
``tests/unit/broker/state/test_cluster_simulation.py`` once it is understood.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.support.simulation import Simulation

TOLD = 25
"""Things that happened last that are shown of a run that fails."""


def run(seed: int, steps: int) -> bool:
    """One run; whether all went well."""
    simulation = Simulation(seed)
    try:
        for _ in range(steps):
            simulation.step()
        simulation.history.append("recover")
        simulation.recover()
    except Exception:
        traceback.print_exc()
        print(f"seed {seed} fails after {len(simulation.history)} steps:", file=sys.stderr)
        print("  " + ", ".join(simulation.history[-TOLD:]), file=sys.stderr)
        return False
    return True


def main() -> int:
    """The exit code: 1 if a seed failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=100, help="how many (default: 100)")
    parser.add_argument("--first", type=int, default=0, help="the first seed (default: 0)")
    parser.add_argument("--steps", type=int, default=600, help="steps of a run (default: 600)")
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    begun = time.monotonic()
    failed = [
        seed
        for seed in range(options.first, options.first + options.seeds)
        if not run(seed, options.steps)
    ]
    seconds = time.monotonic() - begun
    print(f"{options.seeds} seeds, {len(failed)} failed {failed or ''} in {seconds:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
