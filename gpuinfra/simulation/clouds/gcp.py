"""Placeholder until the room is there."""

from ..cloud import Cloud, digest

CLOUD = Cloud("gcp", lambda r: r.name + digest(r.urn, 7), lambda r, i: {})
