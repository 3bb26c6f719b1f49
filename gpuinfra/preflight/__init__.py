"""Preflight: the account that a cluster is to stand in, read and judged before anything exists."""
