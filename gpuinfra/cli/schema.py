"""`gpuinfra schema`: the JSON schema of the spec, for editors."""

from __future__ import annotations

import click

from .output import as_json, write


@click.command("schema")
def command() -> int:
    """Print the JSON schema of the spec.

    Editors with a YAML language server complete and check a cluster.yaml by it. Save it, and name it in the first
    line of the spec:

    \b
      gpuinfra schema > gpuinfra.schema.json
      # yaml-language-server: $schema=gpuinfra.schema.json
    """
    from ..spec.schema import json_schema

    write(as_json(json_schema()))
    return 0
