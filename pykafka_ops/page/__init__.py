"""What HTML pages are made of: markup as values, figures as people read them."""
