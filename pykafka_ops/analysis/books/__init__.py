"""The arithmetic of audits: books of what a tier holds, their comparison, records told apart."""
