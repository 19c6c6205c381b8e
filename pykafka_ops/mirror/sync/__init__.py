"""Topics, settings, rules and quotas of the source made at the target: what differs is planned by
pure rules, shown, and applied."""
