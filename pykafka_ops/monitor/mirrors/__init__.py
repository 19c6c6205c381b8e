"""Mirror links into the watched clusters, known from what mirrors keep there."""
