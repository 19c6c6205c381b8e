"""What ``pko configs`` is made of: entities, their settings, quotas and credentials."""
