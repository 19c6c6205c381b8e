"""The retention report: what is kept against the policy, and whose data goes first."""
