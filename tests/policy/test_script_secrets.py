"""What is a secret in a script, and what only names one."""

from __future__ import annotations

import pytest

from gpuinfra.policy.script_secrets import kind_of_secret


@pytest.mark.parametrize("text", [
    "HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyzABCDEF", "export DB_PASSWORD=Tr0ub4dor", "API_KEY='9f8e7d6c5b4a'",
    "auth_token: 01234567abcd", "PASSWORD=correcthorsebattery",
    "aws configure set aws_secret_access_key wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "mysql --password=Tr0ub4dor -e 'select 1'", "kubeadm join 10.0.0.1:6443 --token abcdef.0123456789abcdef",
    "wandb login 0123456789abcdef0123456789abcdef01234567", "tool --api-key '9f8e7d6c5b4a'",
])  # fmt: skip
def test_a_secret(text: str) -> None:
    assert kind_of_secret(text)


@pytest.mark.parametrize("text", [
    "HF_TOKEN=/run/secrets/hf", "OPENAI_API_KEY=arn:aws:secretsmanager:us-east-1:1:secret:x",
    "--special_token=image_placeholder", "DB_PASSWORD=projects/acme/secrets/db", "API_KEY=https://vault.example/v1/key",
    "HF_TOKEN=$(cat /run/token)", "password=none", "docker login --password-stdin registry.example.com",
    "aws configure set aws_secret_access_key $KEY", "huggingface-cli login --token $(cat /run/token)", "wandb login $KEY",
    "vllm serve --api-key /run/secrets/key", "tool --token", "train --max-token 100000 --secret-file key",
])  # fmt: skip
def test_where_a_secret_lies_or_what_is_called_so(text: str) -> None:
    assert kind_of_secret(text) == ""
