"""How fast a cluster registers, beside a program that a person would write with the same resources.

The peer is made from the recorded cluster: the same typed classes with the same inputs, parents and options, and none of
gpuinfra. Both run under the same recorder. Limit: at least 0.9 times the peer's rate.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

from .large_specs import spec_of
from .processes import verdict


def peer_of(pools: int) -> tuple[Callable[[], None], int]:
    """A program that registers the resources of the cluster of so many pools through the same SDK classes."""
    import pulumi

    from gpuinfra import GpuCluster
    from gpuinfra.spec.models import ClusterSpec
    from gpuinfra.testing import record

    spec = ClusterSpec.model_validate(spec_of(pools))
    made: list[tuple[type, str, dict[str, object], str]] = []

    def see(args: pulumi.ResourceTransformationArgs) -> None:
        parent = args.opts.parent._name if args.opts and args.opts.parent else ""
        made.append((type(args.resource), args.name, dict(args.props), parent))

    def watched() -> None:
        pulumi.runtime.register_stack_transformation(see)
        GpuCluster("large", spec)

    record(watched, preview=True)

    def program() -> None:
        resources: dict[str, pulumi.Resource] = {}
        for kind, name, props, parent in made:
            opts = pulumi.ResourceOptions(parent=resources.get(parent))
            plain = {k: v for k, v in props.items() if not _holds_output(v)}
            if issubclass(kind, pulumi.CustomResource):
                resources[name] = pulumi.CustomResource.__new__(kind)
                pulumi.CustomResource.__init__(resources[name], kind.pulumi_type, name, plain, opts)
            else:
                resources[name] = pulumi.ComponentResource("peer:index:Part", name, None, opts)

    return program, len(made)


def _holds_output(value: object) -> bool:
    import pulumi

    if isinstance(value, pulumi.Output):
        return True
    if isinstance(value, dict):
        return any(_holds_output(v) for v in value.values())
    return isinstance(value, (list, tuple)) and any(_holds_output(v) for v in value)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--pools", type=int, default=60)
    args = parser.parse_args(argv)
    from gpuinfra import GpuCluster
    from gpuinfra.spec.models import ClusterSpec
    from gpuinfra.testing import record

    spec = ClusterSpec.model_validate(spec_of(args.pools))
    peer, count = peer_of(args.pools)
    ours_s: list[float] = []
    peer_s: list[float] = []
    for _ in range(args.runs):
        for program, times in ((lambda: GpuCluster("large", spec), ours_s), (peer, peer_s)):
            start = time.perf_counter()
            record(program, preview=True)
            times.append(time.perf_counter() - start)
    ours, theirs = statistics.median(ours_s), statistics.median(peer_s)
    print(f"registration of {count} resources: {count / ours:.0f}/s, by hand {count / theirs:.0f}/s")
    return 0 if verdict("time over the peer's time", ours / theirs, 1 / 0.9) else 1


if __name__ == "__main__":
    raise SystemExit(main())
