"""The policy engine, its registry, and every rule by its own examples."""
