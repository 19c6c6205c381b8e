"""What ``pko smoke`` tries, a file per step: each takes the site and returns what it saw."""
