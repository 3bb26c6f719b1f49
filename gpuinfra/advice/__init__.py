"""Where else a cluster could stand: the offers of every cloud for what a spec needs, and the same spec moved."""
