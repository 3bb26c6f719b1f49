"""A spec as the YAML that it is read from."""

from __future__ import annotations

from typing import Any

from ..spec.models import ClusterSpec


def as_yaml(spec: ClusterSpec, title: str) -> str:
    """The spec in the order of the reference, below a comment; what was left out stays left out."""
    import yaml

    data: dict[str, Any] = spec.model_dump(mode="json", exclude_unset=True, exclude_none=True)
    data = _plain(data)
    data = {"api_version": spec.api_version, **{k: v for k, v in data.items() if v not in ({}, [])}}
    data["location"] = {"provider": spec.location.provider, **data["location"]}
    text = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=120)
    return "".join(f"# {line}\n" for line in title.splitlines()) + text


def _plain(value: Any) -> Any:
    """Whole numbers without a decimal point, as a person writes them."""
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list):
        return [_plain(v) for v in value]  # pyright: ignore[reportUnknownVariableType]
    return int(value) if isinstance(value, float) and value.is_integer() else value
