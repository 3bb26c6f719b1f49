"""How fast, always beside a peer in the same run: a machine's own speed then cancels out."""
