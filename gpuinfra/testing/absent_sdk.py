"""Packages of Pulumi that are not installed, stood in for: what a program makes with them is recorded by its arguments.

A program of managed Kubernetes imports half a dozen of them beside its cloud's (kubernetes, random, tls, …), and nothing in
them says what a GPU node costs or which fabric it has. Whether one is installed should not decide whether the rest is judged.
No stand-in is made for the SDKs of the clouds that rules read, nor for a name that no known package has.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final, cast

import pulumi

KNOWN: Final = frozenset({
    "pulumi_archive", "pulumi_auth0", "pulumi_aws_apigateway", "pulumi_aws_native", "pulumi_awsx", "pulumi_azure",
    "pulumi_azuread", "pulumi_azuredevops", "pulumi_cloudflare", "pulumi_cloudinit", "pulumi_command", "pulumi_consul",
    "pulumi_databricks", "pulumi_datadog", "pulumi_docker", "pulumi_docker_build", "pulumi_eks", "pulumi_github",
    "pulumi_gitlab", "pulumi_google_native", "pulumi_grafana", "pulumi_http", "pulumi_kubernetes",
    "pulumi_kubernetes_cert_manager", "pulumi_kubernetes_ingress_nginx", "pulumi_local", "pulumi_mysql", "pulumi_newrelic",
    "pulumi_nomad", "pulumi_null", "pulumi_okta", "pulumi_pagerduty", "pulumi_postgresql", "pulumi_pulumiservice",
    "pulumi_rancher2", "pulumi_random", "pulumi_slack", "pulumi_snowflake", "pulumi_std", "pulumi_synced_folder",
    "pulumi_tailscale", "pulumi_terraform", "pulumi_tls", "pulumi_vault", "pulumi_wandb",
})  # fmt: skip
"""Public packages that people use beside a cloud's. Another name may be a slip of the pen, which nothing should stand for."""

_GROUPS: Final = {
    "admissionregistration": "admissionregistration.k8s.io", "certificates": "certificates.k8s.io",
    "coordination": "coordination.k8s.io", "discovery": "discovery.k8s.io", "helm": "helm.sh",
    "networking": "networking.k8s.io", "rbac": "rbac.authorization.k8s.io", "resource": "resource.k8s.io",
    "scheduling": "scheduling.k8s.io", "storage": "storage.k8s.io", "apiextensions": "apiextensions.k8s.io",
}  # fmt: skip
"""Modules of the SDK of Kubernetes whose API group has another name."""


class Absent:
    """What stood in for packages, while it did."""

    def __init__(self) -> None:
        self.made: dict[str, set[tuple[str, str]]] = {}
        """By package: type and logical name of each resource."""
        self.asked: dict[str, set[str]] = {}
        """By package: the functions that were called."""

    @property
    def packages(self) -> Sequence[str]:
        """Those that were imported."""
        return sorted(self.made)


@contextmanager
def stood_in_for() -> Generator[Absent]:
    """Within it an import of a known package that is not installed gives a stand-in."""
    absent = Absent()
    finder = _Finder(absent)
    sys.meta_path.append(finder)
    try:
        yield absent
    finally:
        sys.meta_path.remove(finder)
        for name, module in list(sys.modules.items()):
            if isinstance(module, _StandIn):
                del sys.modules[name]


class _Finder(MetaPathFinder, Loader):
    """It is asked last: what is installed is found before."""

    def __init__(self, absent: Absent) -> None:
        self._absent = absent

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package, _, rest = fullname.partition(".")
        if package not in KNOWN or (rest and not isinstance(sys.modules.get(package), _StandIn)):
            return None
        return ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _StandIn(spec.name, self._absent)

    def exec_module(self, module: ModuleType) -> None:
        self._absent.made.setdefault(module.__name__.partition(".")[0], set())


class _StandIn(ModuleType):
    """A module in which everything is that is asked for."""

    def __init__(self, name: str, absent: Absent) -> None:
        super().__init__(name)
        self.__path__ = []
        self._absent = absent

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        found: Any
        if name.endswith(("Args", "ArgsDict")):
            found = _Arguments
        elif name[0].isupper():
            found = _class_of(self, name)
        elif name.startswith(("get_", "list_")) or self.__name__ == "pulumi_std":
            found = _Function(self, name)
        else:
            found = import_module(f"{self.__name__}.{name}")
        setattr(self, name, found)
        return found

    def noted(self, type_: str, name: str) -> None:
        """A resource is made."""
        self._absent.made[self.__name__.partition(".")[0]].add((type_, name))

    def called(self, token: str) -> None:
        """A function is called."""
        self._absent.asked.setdefault(self.__name__.partition(".")[0], set()).add(token)


class _Arguments(dict[str, Any]):
    """A class of arguments: they go over the wire by their names there."""

    def __init__(self, **given: Any) -> None:
        super().__init__(_on_the_wire(given))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self.get(_camel(name))


class _Function:
    """A function that looks something up: the recording answers it, as it answers those of every provider."""

    def __init__(self, module: _StandIn, name: str) -> None:
        self._module = module
        self._name = name

    def __call__(self, *_: Any, **given: Any) -> Any:
        name = self._name.removesuffix("_output")
        token = _token(self._module.__name__, _camel(name))
        self._module.called(token)
        opts = given.pop("opts", None)
        if name != self._name:
            return _Unknown.of()
        found: Any = pulumi.runtime.invoke(token, _on_the_wire(given), opts or pulumi.InvokeOptions()).value
        return _Answer(found)


class _Answer:
    """What a function gave, by attribute."""

    def __init__(self, found: Any) -> None:
        self._found = found

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._found[_camel(name)]


class _Unknown(pulumi.Output[Any]):
    """A value that only a deployment knows. A method of a resource ends in one too, so it can be called."""

    @classmethod
    def of(cls, *resources: pulumi.Resource) -> _Unknown:
        """One that hangs on resources."""
        value: asyncio.Future[Any] = asyncio.Future()
        known: asyncio.Future[bool] = asyncio.Future()
        value.set_result(None)
        known.set_result(False)
        return cls(set(resources), value, known)

    def __call__(self, *_: Any, **__: Any) -> Any:
        return self


class _Kind(type(pulumi.CustomResource)):
    """A name of the SDK in capitals may be an enumeration, whose members are texts much like their names."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return name


def _class_of(module: _StandIn, name: str) -> type:
    return _provider_of(module) if name == "Provider" else _resource_of(module, name)


def _resource_of(module: _StandIn, kind: str) -> type:
    class StandIn(pulumi.CustomResource, metaclass=_Kind):
        def __init__(self, resource_name: str, *positional: Any, **given: Any) -> None:
            opts, inputs = _parted(positional, given)
            type_ = _type(module.__name__, kind, inputs)
            module.noted(type_, resource_name)
            super().__init__(type_, resource_name, inputs, opts)

        @classmethod
        def get(cls, resource_name: str, id: Any, opts: Any = None, **_: Any) -> Any:
            """One that is there already."""
            return cls(resource_name, opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(id=id)))

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            held = cast("dict[str, Any]", self.__dict__)
            wired = held.get(_camel(name))
            if wired is None and name.endswith("provider"):
                # A cluster hands out the provider of what runs in it.
                wired = pulumi.ProviderResource(
                    "kubernetes", f"{self._name}-{name.replace('_', '-')}", {}, pulumi.ResourceOptions(parent=self)
                )
            held[name] = _Unknown.of(self) if wired is None else wired
            return held[name]

    StandIn.__name__ = StandIn.__qualname__ = kind
    return StandIn


def _provider_of(module: _StandIn) -> type:
    package = _package(module.__name__)

    class Provider(pulumi.ProviderResource):
        def __init__(self, resource_name: str, *positional: Any, **given: Any) -> None:
            opts, inputs = _parted(positional, given)
            super().__init__(package, resource_name, inputs, opts)

    return Provider


def _parted(positional: Sequence[Any], given: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Options and inputs of a resource, however they are given."""
    rest = {k: v for k, v in given.items() if k not in ("opts", "args")}
    opts = given.get("opts") or next((p for p in positional if isinstance(p, pulumi.ResourceOptions)), None)
    written = (cast("Mapping[str, Any]", p) for p in (given.get("args"), *positional) if isinstance(p, dict))
    return opts, {**next(written, _NOTHING), **_on_the_wire(rest)}


_NOTHING: Final[Mapping[str, Any]] = {}


def _on_the_wire(given: Mapping[str, Any]) -> dict[str, Any]:
    return {_camel(k): v for k, v in given.items() if v is not None}


@cache
def _camel(name: str) -> str:
    first, *more = name.strip("_").split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in more)


def _package(module: str) -> str:
    return module.partition(".")[0].removeprefix("pulumi_").replace("_", "-")


def _token(module: str, name: str) -> str:
    return f"{_package(module)}:{'/'.join(_parts(module)) or 'index'}:{name}"


def _type(module: str, kind: str, inputs: Mapping[str, Any]) -> str:
    """The type of a class, by the rule of its package: Kubernetes has API groups, bridged packages name the type twice."""
    package, parts = _package(module), list(_parts(module))
    if package == "kubernetes":
        version, of = inputs.get("apiVersion"), inputs.get("kind")
        if kind in ("CustomResource", "CustomResourcePatch") and isinstance(version, str) and isinstance(of, str):
            return f"{package}:{version}:{of}"
        parts[:1] = [_GROUPS.get(part, part) for part in parts[:1]]
        return f"{package}:{'/'.join(parts) or 'index'}:{kind}"
    if package.endswith("native") or package in _NAMED_ONCE:
        return f"{package}:{'/'.join(parts) or 'index'}:{kind}"
    return f"{package}:{'/'.join([*(parts or ['index']), kind[:1].lower() + kind[1:]])}:{kind}"


_NAMED_ONCE: Final = frozenset({
    "aws-apigateway", "awsx", "command", "docker-build", "eks", "pulumiservice", "synced-folder",
})  # fmt: skip
"""Packages that are no bridge: their types stand by their module alone."""


def _parts(module: str) -> Iterator[str]:
    yield from module.split(".")[1:]
