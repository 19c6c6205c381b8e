"""The lag report: which groups are behind, since when, and what they lose."""
