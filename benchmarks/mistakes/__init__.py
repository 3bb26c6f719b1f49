"""The mistakes benchmark: seeded mistakes with their right twins, and who sees them. `python -m benchmarks.mistakes`."""
