"""Container references as registries read them: registry, repository, tag and digest."""

from __future__ import annotations

import re
from dataclasses import dataclass

DOCKER_HUB = "docker.io"
_DOCKER_HUB_NAMES = frozenset({"docker.io", "index.docker.io", "registry-1.docker.io", "registry.hub.docker.com"})

# The grammar of github.com/distribution/reference, which containerd, Docker and Podman share.
_REGISTRY = re.compile(
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*|\[[0-9A-Fa-f:]+\])(?::\d{1,5})?"
)
_COMPONENT = re.compile(r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*")
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
_DIGEST = re.compile(r"[a-z0-9]+(?:[+._-][a-z0-9]+)*:[0-9a-f]{32,}")
_DIGEST_LENGTH = {"sha256": 64, "sha384": 96, "sha512": 128}
_SCHEME = re.compile(r"(?:docker|oci|https?|containers-storage)://|docker:|enroot:", re.IGNORECASE)
MAX_NAME = 255
MAX_REFERENCE = 1024


@dataclass(frozen=True)
class Reference:
    """A container reference. `tag` and `digest` are empty where it has none."""

    registry: str
    path: str
    tag: str
    digest: str

    @property
    def repository(self) -> str:
        """Registry and path, with Docker Hub and its `library/` written out."""
        return f"{self.registry}/{self.path}"


@dataclass(frozen=True)
class BadReference:
    """Why a text is no container reference, and the nearest text that is one (or nothing)."""

    reason: str
    nearest: str = ""


def parse_reference(text: str) -> Reference | BadReference:
    """The parts of a reference, or why it is none."""
    if not text or text != text.strip() or any(c.isspace() for c in text):
        joined = "".join(text.split()) if len(text.split()) == 1 else ""
        return BadReference("holds white space" if text.strip() else "is empty", joined)
    if len(text) > MAX_REFERENCE:
        return BadReference(f"has more than {MAX_REFERENCE} characters")
    scheme = _SCHEME.match(text)
    if scheme:
        return BadReference(f"begins with '{scheme[0]}', which no registry reference has", text[scheme.end() :])
    if "#" in text:
        return BadReference("holds '#', which is how Enroot writes the registry", text.replace("#", "/", 1))
    named, at, digest = text.partition("@")
    if at:
        problem = _digest_problem(digest)
        if problem:
            return BadReference(problem)
    # A colon after the last slash is the tag's; one before it is the registry's port.
    head, slash, last = named.rpartition("/")
    last, colon, tag = last.partition(":")
    if colon and not _TAG.fullmatch(tag):
        return BadReference(f"has the tag '{tag}'; a tag is at most 128 letters, digits, dots, hyphens and underscores")
    registry, path = _split(f"{head}{slash}{last}")
    if not _REGISTRY.fullmatch(registry):
        return BadReference(f"names the registry '{registry}', which is no host name")
    for component in path.split("/"):
        if not _COMPONENT.fullmatch(component):
            return _bad_component(component, text, path)
    if len(registry) + 1 + len(path) > MAX_NAME:
        return BadReference(f"has a name of more than {MAX_NAME} characters")
    return Reference(registry, path, tag, digest)


def _split(name: str) -> tuple[str, str]:
    """Registry and path. The first part is a registry only where it looks like a host (a dot, a port, localhost)."""
    first, slash, rest = name.partition("/")
    if not slash or not ("." in first or ":" in first or first == "localhost"):
        return DOCKER_HUB, name if slash else f"library/{name}"
    registry = first.lower()
    if registry in _DOCKER_HUB_NAMES:
        return DOCKER_HUB, rest if "/" in rest else f"library/{rest}"
    return registry, rest


def _digest_problem(digest: str) -> str:
    algorithm = digest.partition(":")[0]
    length = _DIGEST_LENGTH.get(algorithm)
    if not _DIGEST.fullmatch(digest):
        return f"has the digest '{digest}'; a digest reads sha256: and 64 hexadecimal digits"
    if length and len(digest) != len(algorithm) + 1 + length:
        return f"has a {algorithm} digest of {len(digest) - len(algorithm) - 1} digits; it has {length}"
    return ""


def _bad_component(component: str, text: str, path: str) -> BadReference:
    if not component:
        return BadReference("has an empty part between slashes")
    if component != component.lower():
        start = text.find(path)
        nearest = text[:start] + path.lower() + text[start + len(path) :] if start >= 0 else ""
        return BadReference(f"has capitals in '{component}'; repository names are lower-case", nearest)
    return BadReference(f"has '{component}', which is no repository name")
