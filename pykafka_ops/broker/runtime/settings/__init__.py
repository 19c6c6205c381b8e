"""The broker's settings, from ``server.properties`` and from the tree.

One rule: a part reads a setting from ``BrokerConfigs`` when it needs it, so that a change counts
from then on and no part needs a notice. The rest is here: what a broker begins with (``start``,
``listeners``), what changes while it runs (``watch``, ``live``, ``quotas``), and what gets a notice
of a change because it keeps a copy (``effects``).
"""
