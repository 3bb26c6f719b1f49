"""Where else a cluster could stand: the offers of every cloud for what a spec needs, and the same spec moved.

Modules are imported by name: a command pays for the one that it uses.
"""
