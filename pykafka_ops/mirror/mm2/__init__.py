"""MirrorMaker 2's internal topics: written as it writes them, and read to take its work over."""
