"""Which offset of the target a source's offset became: exactly, for every record copied."""
