"""The pages of the monitor: views in, HTML out. No I/O and no clock; they need no script."""
