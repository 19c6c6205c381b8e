"""What a broker tells of itself: facts gathered from its parts, served over HTTP."""
