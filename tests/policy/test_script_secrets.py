"""What is a secret in a script, and what only names one."""

from __future__ import annotations

import pytest

from gpuinfra.policy.script_secrets import kind_of_secret


@pytest.mark.parametrize("text", [
    "HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyzABCDEF", "export DB_PASSWORD=Tr0ub4dor", "API_KEY='9f8e7d6c5b4a'",
    "auth_token: 01234567abcd", "PASSWORD=correcthorsebattery",
])  # fmt: skip
def test_a_secret(text: str) -> None:
    assert kind_of_secret(text)


@pytest.mark.parametrize("text", [
    "HF_TOKEN=/run/secrets/hf", "OPENAI_API_KEY=arn:aws:secretsmanager:us-east-1:1:secret:x",
    "--special_token=image_placeholder", "DB_PASSWORD=projects/acme/secrets/db", "API_KEY=https://vault.example/v1/key",
    "HF_TOKEN=$(cat /run/token)", "password=none",
])  # fmt: skip
def test_where_a_secret_lies_or_what_is_called_so(text: str) -> None:
    assert kind_of_secret(text) == ""
