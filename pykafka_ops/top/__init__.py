"""``pko top``: a cluster in a terminal. Rules and pages here, what textual draws in ``screen/``."""
