"""The transaction coordinator's rules: transactional ids, their states and records."""
